//! The outcome of `mgp call`, from the answer of the tool or the kernel.

use super::run::detail;
use crate::{
    error::CliError,
    exit::Exit,
    output::{Outcome, shortened},
    setup::Setup,
};
use mgp_kernel::{Kernel, Server, ServerStatus, command_word};
use mgp_security::canonical;
use mgp_types::{
    error::ErrorCode,
    idempotency::ReplayNote,
    json::{RawJson, RawObject},
    lifecycle::ServerState,
    mcp::{CallToolResult, ContentBlock},
    mgp_member,
    reference::DataReference,
    rpc::{ErrorObject, RawResult},
    tool_result::{
        ATTESTATION_KEY, Attestation, ErrorDetail, ErrorDetails, ErrorType, Provenance, ResultStatus,
        attested_part,
    },
};
use std::sync::Arc;

/// The maximum length of error details shown as text, in characters.
const SHOWN_DETAILS: usize = 500;

/// The form in which an answer is shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct AnswerForm {
    /// True if the text was already printed in parts.
    pub(super) printed: bool,
    /// True if the reference is printed instead of a result that was kept.
    pub(super) keeps: bool,
}

/// Returns the outcome of a call that reached its tool.
pub(super) fn answer(tool: &str, result: &RawResult, form: AnswerForm) -> Result<Outcome, CliError> {
    let decoded: CallToolResult = result.decode()?;
    if let Some(reference) = decoded.reference().filter(|_| form.keeps) {
        let notes = [kept(&reference)].into_iter().chain(replay(decoded.replay_note().as_ref()));
        return Ok(Outcome::of_data(reference.ref_id, result)?.with_notes(notes.chain(attested(result))));
    }
    let whole = decoded.whole_outcome();
    let Some(error) = whole.error().filter(|_| whole.status() == ResultStatus::Failure) else {
        let text = shown(decoded.data_content());
        let streamed = form.printed && mgp_member::read(&RawObject::from_json(result)?).is_some();
        let text = if streamed { String::new() } else { text };
        let notes = whole.note().into_iter().chain(sources(&whole.provenance)).chain(attested(result));
        return Ok(
            Outcome::of_data(text, result)?.with_notes(notes.chain(replay(decoded.replay_note().as_ref())))
        );
    };
    // stdout has the whole result for programs. The failure goes to stderr, like any other error.
    let failed = match rejection(&decoded) {
        Some(reason) => CliError::new(Exit::Refused, format!("the call of {tool:?} was refused: {reason}")),
        None => CliError::failed(format!("{tool:?} failed: {}", told(error, &shown(&decoded.content)))),
    };
    let failed = failed.with_result(result.clone());
    Err(match replay(decoded.replay_note().as_ref()) {
        Some(replay) => failed.help(replay),
        None => failed,
    })
}

/// Returns the note on a result that is kept.
fn kept(reference: &DataReference) -> String {
    let DataReference { origin_server, mime_type, size_bytes, expires_at, checksum, .. } = reference;
    let bytes = size_bytes.unwrap_or_default();
    let hash = checksum.as_ref().map(|sum| format!(", {} {}", sum.algorithm, sum.value)).unwrap_or_default();
    let until = expires_at.as_ref().map(|until| format!(", until {until}")).unwrap_or_default();
    format!("kept: {bytes} bytes of {mime_type} from {origin_server}{hash}{until}")
}

/// Returns the note on an answer that was replayed from an earlier call.
pub(super) fn replay(note: Option<&ReplayNote>) -> Option<String> {
    let note = note.filter(|note| note.was_replay)?;
    let ReplayNote { key, original_timestamp, .. } = note;
    Some(format!(
        "the answer of the call that was made with the key {key} at {original_timestamp}; the tool did not run again"
    ))
}

/// The maximum number of sources shown as text.
const SHOWN_SOURCES: usize = 8;

/// Returns a note for each source that the server names.
fn sources(sources: &[Provenance]) -> impl Iterator<Item = String> {
    let more = sources.len().saturating_sub(SHOWN_SOURCES);
    let more = (more > 0).then(|| format!("and {more} more sources"));
    let shown = sources.iter().take(SHOWN_SOURCES);
    shown
        .map(|source| format!("source, as the server says: {}", shortened(&source.to_string(), 300)))
        .chain(more)
}

/// Returns the note on the kernel's attestation, if there is one. It states whether the attestation matches the
/// result.
fn attested(result: &RawResult) -> Option<String> {
    let object = RawObject::from_json(result).ok()?;
    let attestation = object.object("_meta")?.object(ATTESTATION_KEY)?;
    let Attestation { source, version, definition, trace, retrieved_at, sha256, .. } =
        Attestation::from_object(attestation).ok()?;
    let part = attested_part(&object)?;
    let fits = mgp_types::hex::encode(canonical::digest(&part)) == sha256;
    let fits = if fits { "this is the result" } else { "THIS IS NOT THE RESULT" };
    let version = version.map_or_else(String::new, |version| format!(" {version}"));
    let trace = trace.map_or_else(String::new, |trace| format!("trace {trace}, "));
    Some(format!(
        "attested by the gateway: {source}{version} at {retrieved_at}, definition {definition}, {trace}SHA-256 {sha256} ({fits})"
    ))
}

fn shown(content: &[ContentBlock]) -> String {
    content.iter().map(block).collect::<Vec<_>>().join("\n")
}

/// Returns the text of a failure with its details. The error type is prepended unless it only means that the tool failed.
fn told(error: &ErrorDetail, text: &str) -> String {
    let told = match &error.error_type {
        ErrorType::ToolExecutionError => text.to_owned(),
        error_type => format!("{error_type}: {text}"),
    };
    match &error.details {
        None => told,
        Some(ErrorDetails::Text(details)) => format!("{told}\n{}", shortened(details, SHOWN_DETAILS)),
        Some(ErrorDetails::Object(details)) => {
            let mut details = details.clone();
            // The trace id is shown separately.
            details.remove("trace_id");
            match details.is_empty() {
                true => told,
                false => format!("{told}\n{}", shortened(details.to_json().as_str(), SHOWN_DETAILS)),
            }
        }
    }
}

/// Returns the outcome of a call as one object, whether answered or refused. `None` if the call has no outcome.
pub(super) fn whole(result: Option<&RawResult>, error: Option<&ErrorObject>) -> Option<RawJson> {
    let outcome = match (result, error) {
        (Some(result), _) => result.decode::<CallToolResult>().ok()?.whole_outcome(),
        (None, Some(error)) => ErrorDetail::from(error).into(),
        (None, None) => return None,
    };
    RawJson::from_value(&outcome).ok()
}

/// Returns the trace of a failed call from its outcome object.
pub(super) fn trace(whole: &RawJson) -> Option<String> {
    RawObject::from_json(whole).ok()?.object("error")?.object("error_details")?.text("trace_id")
}

/// Returns the reason of a validator's refusal (§7.4), which has the form of a failed tool result.
fn rejection(result: &CallToolResult) -> Option<String> {
    let first = result.content.first()?.as_text()?;
    let object = RawObject::parse(first.to_owned()).ok()?;
    let code: i64 = object.decode("code").ok()??;
    let ours =
        [ErrorCode::ValidationBlocked, ErrorCode::CodeSafetyViolation, ErrorCode::Timeout].map(i64::from);
    if object.text("status")? != "rejected" || !ours.contains(&code) {
        return None;
    }
    let violations: Vec<String> = object.decode("violations").ok()?.unwrap_or_default();
    let reason = object.text("reason")?;
    Some(if violations.is_empty() { reason } else { format!("{reason}: {}", violations.join("; ")) })
}

fn block(block: &ContentBlock) -> String {
    let length = |data: &str| format!("{} characters of base64", data.len());
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => format!("[image {}, {}]", image.mime_type, length(&image.data)),
        ContentBlock::Audio(audio) => format!("[audio {}, {}]", audio.mime_type, length(&audio.data)),
        ContentBlock::ResourceLink(link) => format!("[resource {}]", link.uri),
        ContentBlock::Resource(_) | ContentBlock::Other(_) => {
            RawJson::from_value(block).map_or_else(|_| String::new(), |json| json.to_string())
        }
    }
}

/// The state of a server in the kernel that made a call, and the reason for it.
#[derive(Debug)]
pub(super) struct ServerStanding {
    pub(super) id: String,
    pub(super) state: ServerState,
    pub(super) reason: String,
}

/// Returns the states of a kernel's servers.
pub(super) fn standings(kernel: &Kernel) -> Vec<ServerStanding> {
    let standing = |server: &Arc<Server>| {
        let ServerStatus { state, reason, .. } = server.status();
        ServerStanding { id: server.id().to_owned(), state, reason: reason.to_string() }
    };
    kernel.servers().iter().map(standing).collect()
}

/// Adds advice to the error of a call that did not reach its tool. `kernel` knows the tools. `servers` belong to the kernel that made the
/// call.
pub(super) fn failure(
    kernel: &Kernel,
    servers: &[ServerStanding],
    setup: &Setup,
    tool: &str,
    error: CliError,
) -> CliError {
    let Some(answer) = error.answer().cloned() else { return error };
    let agent = &setup.agent;
    match ErrorCode::from_code(answer.code) {
        None if lacks_capability(&answer) => error.help(
            "the tool asks its user a question: call it from a host that shows forms, or at a terminal while a gateway runs",
        ),
        Some(ErrorCode::AccessDenied) => {
            let judged = kernel.operator().judged_tool(tool);
            let own = judged.as_ref().map(|judged| judged.named.tool.id());
            let (server, tool) = own.map_or(("SERVER", tool), |id| (&*id.server_id, &*id.tool_name));
            let [agent, server, tool] = [agent, server, tool].map(command_word);
            error.help(format!(
                "allow it with `mgp access grant {agent} {server} {tool}`; see `mgp access list`"
            ))
        }
        Some(ErrorCode::PermissionDenied) => match next_step(kernel, &answer) {
            Some(help) => error.help(help),
            None => error,
        },
        // No further questions can be stored. The call is unconfirmed, like a call with an open question.
        Some(ErrorCode::ResourceExhausted)
            if detail(&answer, "resource").as_deref() == Some("confirmations") =>
        {
            error.with_exit(Exit::Refused).help("or confirm it here with --yes, or at a terminal")
        }
        Some(ErrorCode::ToolNotFound) => match down(servers) {
            Some(down) if names_server_that_is_down(servers, tool) => {
                CliError::new(Exit::Unreachable, format!("the server of {tool:?} is not connected: {down}"))
                    .help("see `mgp servers`")
            }
            Some(down) => {
                let question = question(kernel, setup, tool);
                error.help(format!("{question}its server may be one that is not connected: {down}"))
            }
            None => {
                let question = question(kernel, setup, tool);
                error.help(format!("{question}look for it with `mgp tools list` or `mgp tools search WORDS`"))
            }
        },
        Some(ErrorCode::ServerNotReady) => match down(servers) {
            Some(down) => error.help(down),
            None => error,
        },
        _ => error,
    }
}

/// Returns whether an answer reports that the tool asks a question that this client does not answer. Its code depends on the era.
fn lacks_capability(answer: &ErrorObject) -> bool {
    let data = answer.data.as_ref().and_then(|data| RawObject::from_json(data).ok());
    data.is_some_and(|data| data.get("requiredCapabilities").is_some())
}

/// Returns a question that suggests similar tool names, followed by a space, or an empty text if no name is close.
fn question(kernel: &Kernel, setup: &Setup, tool: &str) -> String {
    let meant = kernel.operator().meant(&setup.principal(), tool);
    let meant = meant.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(" or ");
    if meant.is_empty() { meant } else { format!("did you mean {meant}? ") }
}

/// Returns advice on deciding on a call that needs a decision. The error of a denied call already explains how to take the denial back.
fn next_step(kernel: &Kernel, answer: &ErrorObject) -> Option<String> {
    let (state, id) = (detail(answer, "state")?, detail(answer, "request_id"));
    if let Some(id) = id.filter(|id| id.starts_with("conf-")) {
        return (state == "open").then(|| {
            format!(
                "`mgp approve {id} --show` shows all of it; or confirm it here with --yes, or at a terminal"
            )
        });
    }
    let (server, permission) = (detail(answer, "server_id")?, detail(answer, "permission")?);
    if kernel.permissions().config_only(&server).is_some() {
        return Some(format!("add {permission:?} to that list of the configuration"));
    }
    (state == "deferred" || state == "expired")
        .then(|| "see `mgp approve`; --for 8h ends an approval by itself, --deny refuses it".to_owned())
}

fn names_server_that_is_down(servers: &[ServerStanding], tool: &str) -> bool {
    let named = tool.split_once("__").and_then(|(id, _)| servers.iter().find(|server| server.id == id));
    named.is_some_and(|server| server.state != ServerState::Connected)
}

/// Returns the servers that are starting, have failed to start or have stopped, each with the reason.
fn down(servers: &[ServerStanding]) -> Option<String> {
    let down = servers.iter().filter_map(|ServerStanding { id, state, reason }| match state {
        ServerState::Connecting => Some(format!("{id} (still starting)")),
        ServerState::Error | ServerState::Disconnected | ServerState::Restarting => {
            Some(format!("{id} ({reason})"))
        }
        _ => None,
    });
    let down: Vec<_> = down.collect();
    (!down.is_empty()).then(|| down.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_limit_of_validators_is_a_refusal_like_others() {
        for (code, expected) in
            [(1010, Some("r: v")), (1011, Some("r: v")), (3003, Some("r: v")), (5000, None)]
        {
            let text = format!(r#"{{"status":"rejected","reason":"r","violations":["v"],"code":{code}}}"#);
            assert_eq!(rejection(&CallToolResult::text(text)).as_deref(), expected, "{code}");
        }
    }

    #[test]
    fn a_validator_s_refusal_differs_from_a_failed_tool() {
        let check = |text: &str| rejection(&CallToolResult::error(text));
        let refusal = r#"{"status":"rejected","reason":"not allowed","violations":["rm -rf /"],"hints":{},"code":1010,"retryable":false}"#;
        assert_eq!(check(refusal).as_deref(), Some("not allowed: rm -rf /"));
        assert_eq!(check(r#"{"status":"rejected","reason":"mine","code":7}"#), None);
        assert_eq!(check("no"), None);
    }
}
