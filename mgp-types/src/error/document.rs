//! The table of error codes as a page of documentation.

use super::{ErrorCode, origin::origin};
use std::{borrow::Cow, fmt::Write as _};

/// An error as the program prints it, which also stands in `docs/cli.md`.
const EXAMPLE: &str = r#"```console from=docs/cli.md
$ mgp --json call nope 2>/dev/null
{
  "error": {
    "kind": "not_found",
    "exit_code": 5,
    "message": "unknown tool: \"nope\"",
    "help": "look for it with `mgp tools list` or `mgp tools search WORDS`",
    "answer": {
      "code": 4001,
      "message": "unknown tool: \"nope\"; find tools with mgp_tools_discover.",
      "data": {"_mgp":{"category":"validation","retryable":false},"error_type":"ToolNotFound","category":"invalid_input","reason":"unknown tool: \"nope\"","retryable":false,"suggestion":"find tools with mgp_tools_discover.","trace_id":"01a1fe79-3e83-769a-911f-7be74ecf46e3"}
    }
  }
}
```
"#;

/// The text between the example and the table of codes.
const INTRODUCTION: &str = r#"
## The report

An MGP peer gets these codes, with advice in `error.data._mgp` (§14.5). A plain MCP peer gets the code in the last column, with the same
message, and a report in `error.data`: `{error_type, category, reason, field?, retryable, retry_after_seconds?, resets_at?, request_id?}`.

- `field` is the wrong argument.
- `resets_at` is the end of a quota's day.
- `request_id` is the question that the call waits for (`mgp approve ID`).
- `category` is the column "of the proposals". One exception: an error with `retryable: false` has `permanent` where the column has `transient` or
  `rate_limited`. MGP's own category is in the advice.

A request that the gateway refuses with a code of JSON-RPC (-32600 to -32603) has the same report.

### Traces

Every error of a request has `trace_id` in its data, and every failed result in `_meta["dev.cloto/result"]`, from any sender:
`mgp audit --trace ID` shows its events. A server's own data stay unchanged if they are not an object, or name a trace themselves. The
gateway adds one other thing to a server's error or result: a `recommendation`, if the call stated its [intent](kernel.md#intents).

Some requests are refused by their connection: an unreadable one, one with an id that is still in use, or one too many. Their trace is only
in the gateway's log. An answer with an HTTP status of 400 or 429 has no trace.

### Last lines of a process

If a server's process ends under a call, the error ends with the last line that the process wrote to stderr. Each waiting call gets that
line. So a server should not log data that one agent may not read of another.

### Suggestions, and refusals as results

A call that the gateway refused has `suggestion?` in its report too, for every peer: it names the next step. It is also at the end of the
message, for hosts that show nothing else.

With `kernel.refusals = "result"` ([configuration.md](configuration.md#kernel)), a refused call is answered with a result instead: an
[outcome](outcomes.md) with the status `failure`. Its text is the message, with `isError`. Its error in `_meta["dev.cloto/result"].error`
has the type of the column "in a result", and the report as its `error_details`.

## Retries

`retryable: true` promises that another attempt does no harm. One of these is then true:

- The call was certainly not handed to its server.
- `servers[].mgp.idempotent` names the tool.
- The tool has `readOnlyHint` or `idempotentHint`, and its server is `standard` or `trusted`.

A call that was sent and whose answer is lost has `retryable: false` and `details.outcome: "unknown"`: the tool may have run.

`retry_after_ms` is given where it is known: the time until a server is started again, or the `Retry-After` of a server over HTTP. A server
that was stopped permanently answers 2000 with `retryable: false`. 3001 with `details.resource: "audit"` means that the audit trail cannot
be written: nothing is sent to a server until it can be ([`[audit]`](configuration.md#audit)).

The gateway retries a retryable call itself, at most `kernel.max_retries` times and within the call's time limit. It waits for the pause
that the error names, or until a restarting server is up. Each retry of a tool call is an event, `dev.cloto.mgp.TOOL_RETRIED`, and the call
is judged again before it. An error after the retries has `retryable: false`. A call is not retried if the host has seen a part of it, such
as a chunk, progress or a question.

`mgp_client_sdk`'s client retries a request by the same rules (`ClientBuilder::retries`).

## Fallbacks

If a call still failed, and neither the caller's rights nor its arguments are the cause, the gateway calls another tool:

1. the tool that `servers[].mgp.fallbacks` names;
2. otherwise, another tool of the same server, if the error of an MGP server names it in `fallback_tool`.

That call has the same arguments, passes every gate, and is recorded with the detail `fallback_of`. It is not made if the caller does not
see the tool or has seen a part of the first call. Its answer reports it in `_meta["dev.cloto/result"].fallback`.

If the other call fails too, the first error is the answer, and no third tool is called. The error has `retryable: false` if the other call
reached its server.

For a tool that may not run twice, no other tool is called if the call's answer was lost, or if the call has an [idempotency
key](idempotency.md). Its error names the other tool in `fallback_tool`, and the agent decides.

## The circuit breaker

If a server leaves `servers[].mgp.breaker_failures` calls in a row unanswered, and answers no other call in this time, it gets no calls for
`breaker_pause_ms`. They are refused at once with 2000 and `retry_after_ms`. Then one call tries the server. If it succeeds, calls are let
through again. If not, the pause doubles, up to a minute.

A server whose health check reports `unhealthy` gets no calls until the check reports another state.

## The codes

The column "retry" is the default where an error gives no other advice: the spacing of attempts, or `no`. "if not sent" means `no`, unless
the error says that the call was not sent. The column "of the proposals" is the category of the [extension
proposals](compatibility/seeds.md) for the error (`ErrorCode::proposed_category`), and that of the report.

"#;

/// The head of the table of codes.
const HEAD: &str = "\
| code | name | error_type | in a result | category | of the proposals | retry | meaning | to plain MCP |
|---|---|---|---|---|---|---|---|---|
";

/// Writes the table of error codes in Markdown: the whole text of `docs/errors.md`.
#[must_use]
pub fn error_table() -> String {
    let mut page = String::from(
        "# Error codes\n\n\
         Generated by `cargo xtask spec --write` from the table in `mgp-types/src/error/code.rs`. With `--json`, the program prints a whole error:\n\n",
    );
    page.push_str(EXAMPLE);
    page.push_str(INTRODUCTION);
    page.push_str(HEAD);
    for code in ErrorCode::ALL {
        // Writing into a string cannot fail.
        let _ = writeln!(
            page,
            "| {} | `{}` | `{}` | `{}` | {} | {} | {} | {} | {} |",
            i64::from(*code),
            code.name(),
            code.error_type(),
            code.result_error_type(),
            code.category(),
            code.proposed_category(),
            retry(*code),
            code.description(),
            code.error("").to_plain_mcp().code,
        );
    }
    page.push_str("\n## Senders and remedies\n\n| code | sender | remedy |\n|---|---|---|\n");
    for code in ErrorCode::ALL {
        let (sender, remedy) = origin(*code);
        let _ = writeln!(page, "| {} `{}` | {sender} | {remedy} |", i64::from(*code), code.name());
    }
    page
}

/// Returns the cell of the column "retry".
fn retry(code: ErrorCode) -> Cow<'static, str> {
    match code.strategy() {
        None => "no".into(),
        Some(strategy) if code.retryable() => strategy.as_str().into(),
        Some(strategy) => format!("{strategy}, if not sent").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_row() {
        let page = error_table();
        let row = "| 3000 | `RATE_LIMITED` | `ApiLimitExceeded` | `ApiLimitExceeded` | resource | rate_limited | exponential_backoff | The caller sends requests too fast. | -32603 |\n";
        assert!(page.contains(row), "{page}");
        assert!(
            page.contains("| 1003 `AUTH_EXPIRED` | The gateway and servers over HTTP, with 401 and"),
            "{page}"
        );
        assert_eq!(
            page.lines().filter(|line| line.starts_with("| ")).count(),
            2 * (ErrorCode::ALL.len() + 1)
        );
    }
}
