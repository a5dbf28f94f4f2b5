//! The senders of each error code, and the remedies, for the documentation.

use super::ErrorCode;

/// Returns the situation in which a code is sent, with its sender, and the remedy.
pub(super) const fn origin(code: ErrorCode) -> (&'static str, &'static str) {
    match code {
        ErrorCode::PermissionDenied => (
            "The gateway, if a permission, a confirmation or a changed definition waits for the operator or was denied, or if the method \
             needs the admin role. A server, by its own rules. Over HTTP, for a token without the scope.",
            "`mgp approve` shows the open questions; the error names the request.",
        ),
        ErrorCode::AccessDenied => (
            "The gateway, by the grants of the agent or the policy of the server. The client of a server over HTTP, for 403.",
            "The operator allows the tool with `mgp access grant`; `mgp access explain` names the rule. If an API key allows too little, the error \
             names the scope that `mgp keys add` can give another key.",
        ),
        ErrorCode::AuthRequired => (
            "The gateway and servers, if the caller is unknown: over HTTP with 401, and the code for plain MCP. The client of a server over HTTP, for 401.",
            "Send a key or token; `mgp keys add` makes a key.",
        ),
        ErrorCode::AuthExpired => (
            "The gateway and servers over HTTP, with 401 and the code for plain MCP, for an expired access token, and for a call whose API key was \
             revoked or expired while the call waited.",
            "Ask the authorization server for a new token, or the operator for a new key.",
        ),
        ErrorCode::ValidationBlocked => (
            "The gateway, if a validator of the tool refuses the arguments.",
            "Change the arguments: the error names the rule. `servers[].mgp.validators` sets the validators.",
        ),
        ErrorCode::CodeSafetyViolation => (
            "The gateway and servers with the extractor `CodeSafety`, for submitted code that breaks their rules.",
            "Change the code: the error names the lines and gives hints.",
        ),
        ErrorCode::ServerNotReady => (
            "The gateway, if the server is not started, connecting, stopped, failed, paused by its circuit breaker, or still away after \
             it was tried for the request. A server, before its handshake.",
            "The gateway waits and tries again by itself. `mgp status` shows the reason; `mgp servers start` starts a stopped server.",
        ),
        ErrorCode::ServerDraining => (
            "The gateway or the server, while the server ends its running calls.",
            "During a restart, the gateway waits by itself. After a stop, `mgp servers start`.",
        ),
        ErrorCode::ServerRestarting => (
            "The gateway, while the server is started again.",
            "The gateway waits and tries again by itself, within the time limit of the call.",
        ),
        ErrorCode::RateLimited => (
            "The gateway, by `[limits]`. The client of a server over HTTP, for 429. A server, by its own rules.",
            "Wait for `retry_after_ms`; for a server's own limit the gateway does so by itself, if the time limit of the call allows it. \
             `details.limit` names the key of the gateway's configuration.",
        ),
        ErrorCode::ResourceExhausted => (
            "The gateway and servers at one of their bounds: calls at once, sessions, subscriptions, open questions. The gateway, if the \
             audit trail cannot be written, or limits and quotas cannot be counted.",
            "End an open one, or wait. The error names the bound, or `details.resource`.",
        ),
        ErrorCode::QuotaExceeded => (
            "The gateway, by `units_per_day` in `[limits]`. A server, by its own rules; the gateway passes the error on. The client of a server \
             over HTTP, for 402.",
            "Wait until `details.resets_at`, or ask the operator to raise `details.limit`; for a server's own quota, ask its owner.",
        ),
        ErrorCode::Timeout => (
            "The gateway and clients, at the end of the time limit of a request.",
            "Raise `servers[].mgp.call_timeout_ms` if the tool needs longer, or the time limit that the error names. Read `details.outcome` before another attempt.",
        ),
        ErrorCode::InvalidToolArgs => (
            "The gateway and servers, for arguments that do not fit the schema of the tool or of a tool of the gateway.",
            "Change the arguments: the error names the field, the value and the expected form.",
        ),
        ErrorCode::ToolNotFound => (
            "The gateway and servers, for an unknown tool, and for a tool that the caller may not see.",
            "Find the tool with `mgp_tools_discover`; the error suggests similar names.",
        ),
        ErrorCode::ToolDisabled => (
            "The gateway, for a tool that `servers[].mgp.disabled` switches off.",
            "Use another tool, or ask the operator.",
        ),
        ErrorCode::ToolNameConflict => {
            ("The gateway, for a name that another tool has or that is reserved.", "Choose another name.")
        }
        ErrorCode::ResourceNotFound => (
            "The gateway and servers, for an unknown resource, session, subscription or server.",
            "List the existing ones.",
        ),
        ErrorCode::ServerAlreadyRegistered => (
            "The gateway, at the registration of a server.",
            "Choose another id, or deregister the other server.",
        ),
        ErrorCode::UpstreamError => (
            "The gateway, for an unreadable answer of the server. The client of a server over HTTP, for a status without a code of its own. \
             A server, for a service that it uses.",
            "Read the log of the server, and `details.outcome` before another attempt.",
        ),
        ErrorCode::UpstreamTimeout => (
            "A server whose tool called another MCP server that did not answer in time.",
            "Read `details.outcome`, and try again later.",
        ),
        ErrorCode::UpstreamUnavailable => (
            "The gateway and clients, if a server over HTTP cannot be reached, answers with a 5xx, or the connection is lost. A server, \
             over HTTP with 503, while its authorization server cannot be reached.",
            "The gateway tries again by itself if the call was not sent or the tool may run twice. `mgp status` shows the server.",
        ),
    }
}
