//! Results of servers that answer a call with only the data, as the extension proposals' reference server does.

use super::{ErrorDetail, ErrorType, ResultMember, ResultStatus};
use crate::{
    json::{RawJson, RawObject},
    mcp::ContentBlock,
    proposals::WantedConfirmation,
    session_state::SESSION_STATE_KEY,
};

/// The members of MCP that distinguish a result from bare data, or show that no tool ran.
const OF_MCP: &[&str] = &["content", "structuredContent", "task", "resultType", "inputRequests"];

/// The members that the proposals put next to `result` or `error`, and that MGP has in `_meta`.
const BESIDE: &[&str] = &["provenance", SESSION_STATE_KEY, "suggestion"];

/// Returns the result of a call in MCP's form if the server answered with bare data, or `None` if the result needs no change.
///
/// MCP requires `content`, and a host refuses an answer without it. Data become a text and, if they are an object, `structuredContent`. The
/// proposals' members are read: `result` is the data, and `error` makes a failure, like the server's [request for a
/// confirmation](WantedConfirmation). Next to either, `provenance`, `session_state`, `suggestion`, `idempotency` and the `compensation` of a
/// step of a transaction go into `_meta`. Next to members that are the data themselves, only a `session_state` that is a text goes there. If
/// there is only a `suggestion` of another tool and no data, the text states it.
///
/// ```
/// use mgp_types::{json::RawJson, tool_result::of_bare_data};
/// let bare = RawJson::parse(r#"{"result":{"n":7}}"#)?;
/// let expected = r#"{"content":[{"type":"text","text":"{\"n\":7}"}],"structuredContent":{"n":7}}"#;
/// assert_eq!(of_bare_data(&bare).unwrap().as_str(), expected);
/// assert_eq!(of_bare_data(&RawJson::parse(expected)?), None);
/// # Ok::<(), mgp_types::json::JsonError>(())
/// ```
#[must_use]
pub fn of_bare_data(result: &RawJson) -> Option<RawJson> {
    if begins_with_content(result) {
        return None;
    }
    let mut bare = RawObject::from_json(result).ok()?;
    if OF_MCP.iter().any(|key| bare.get(key).is_some()) {
        return None;
    }
    let mut meta = bare.remove("_meta").and_then(|meta| RawObject::from_json(&meta).ok()).unwrap_or_default();
    let (mgp, is_error) = (bare.remove("_mgp"), bare.remove("isError"));
    if bare.is_empty() {
        return None;
    }
    take_state(&mut meta, &mut bare);
    let error = bare.object("error").and_then(|error| failure(&error)).or_else(|| unconfirmed(&bare));
    let data = match (&error, bare.get("result").cloned()) {
        (Some(_), _) => {
            note(&mut meta, &bare);
            None
        }
        (None, Some(data)) => {
            note(&mut meta, &bare);
            Some(data)
        }
        (None, None) => Some(bare.to_json()),
    };
    let text = match (&error, &data) {
        (Some(error), _) => error.message.clone(),
        (None, Some(data)) if data.is_null() => suggested(&bare).unwrap_or_else(|| data.as_str().to_owned()),
        (None, Some(data)) => data.to_text().unwrap_or_else(|| data.as_str().to_owned()),
        (None, None) => String::new(),
    };
    let mut answer = RawObject::new();
    answer.insert("content", RawJson::from_value(&[ContentBlock::text(text)]).ok()?);
    if let Some(data) = data.filter(RawJson::is_object) {
        answer.insert("structuredContent", data);
    }
    if let Some(error) = error {
        answer.insert("isError", RawJson::from_value(&true).ok()?);
        let member = ResultMember {
            status: Some(ResultStatus::Failure),
            error: Some(error),
            ..ResultMember::default()
        };
        member.put(&mut meta).ok()?;
    } else if let Some(is_error) = is_error {
        answer.insert("isError", is_error);
    }
    if !meta.is_empty() {
        answer.insert("_meta", meta.to_json());
    }
    if let Some(mgp) = mgp {
        answer.insert("_mgp", mgp);
    }
    Some(answer.to_json())
}

/// Returns whether the first member of a result is its content, as most servers write it: then there is nothing to parse.
fn begins_with_content(result: &RawJson) -> bool {
    let inside = result.as_str().trim_start().strip_prefix('{');
    inside.is_some_and(|inside| inside.trim_start().starts_with("\"content\""))
}

/// Returns the text of an answer that names another tool instead of data (proposal 2).
fn suggested(bare: &RawObject) -> Option<String> {
    let suggestion = bare.object("suggestion")?;
    let tool = suggestion.text("recommended_tool")?;
    let reason = suggestion.text("reason").map(|reason| format!(": {reason}")).unwrap_or_default();
    Some(format!("the server recommends its tool {tool:?}{reason}"))
}

/// Reads the answer to a call that its server did not make, because it was not confirmed (proposal 6).
fn unconfirmed(bare: &RawObject) -> Option<ErrorDetail> {
    let wanted = WantedConfirmation::of(bare)?;
    let message = match wanted.message {
        Some(question) => {
            format!("the server made no call, because it wants the call to be confirmed: {question}")
        }
        None => "the server made no call, because it wants the call to be confirmed".to_owned(),
    };
    let details = WantedConfirmation::without_token(bare.clone());
    Some(ErrorDetail::new(ErrorType::PermissionError, message).details(details))
}

/// Reads an error of the proposals, which has at least a message, and a code or a category.
fn failure(error: &RawObject) -> Option<ErrorDetail> {
    let (code, category) = (error.text("code"), error.text("category"));
    let has = |key| error.get(key).is_some_and(|value| !value.is_null());
    let message = error.text("message").filter(|_| has("code") || has("category"))?;
    let message = match error.text("suggestion") {
        Some(suggestion) => format!("{message}. {suggestion}"),
        None => message,
    };
    let of_code = code.as_deref().and_then(of_code);
    let of_category = || category.as_deref().and_then(of_category);
    let error_type = of_code.or_else(of_category).unwrap_or(ErrorType::ToolExecutionError);
    Some(ErrorDetail::new(error_type, message).details(error.clone()))
}

fn of_code(code: &str) -> Option<ErrorType> {
    Some(match code {
        "RATE_LIMIT_EXCEEDED" | "QUOTA_EXHAUSTED" => ErrorType::ApiLimitExceeded,
        "PERMISSION_DENIED" | "SCOPE_INSUFFICIENT" => ErrorType::PermissionError,
        "AUTHENTICATION_REQUIRED" => ErrorType::AuthenticationError,
        "RESOURCE_NOT_FOUND" => ErrorType::ResourceNotFound,
        "OPERATION_TIMEOUT" => ErrorType::TimeoutError,
        _ => return None,
    })
}

fn of_category(category: &str) -> Option<ErrorType> {
    Some(match category {
        "rate_limited" => ErrorType::ApiLimitExceeded,
        "auth_required" => ErrorType::AuthenticationError,
        "invalid_input" => ErrorType::ValidationError,
        _ => return None,
    })
}

/// Moves a text that is the state of the session into `_meta`, unless `_meta` has one. It is neither data nor a detail of an error.
fn take_state(meta: &mut RawObject, bare: &mut RawObject) {
    if bare.text(SESSION_STATE_KEY).is_some()
        && let Some(state) = bare.remove(SESSION_STATE_KEY)
        && meta.get(SESSION_STATE_KEY).is_none()
    {
        meta.insert(SESSION_STATE_KEY, state);
    }
}

/// Copies the members next to the data or the error into `_meta`. A member that `_meta` already has stays.
fn note(meta: &mut RawObject, bare: &RawObject) {
    let mut put = |key: &str, value: &RawJson| {
        if meta.get(key).is_none() {
            meta.insert_named(key, value.clone());
        }
    };
    for (key, value) in bare.iter() {
        match key {
            key if BESIDE.contains(&key) => put(key, value),
            "idempotency" => {
                RawObject::from_json(value)
                    .iter()
                    .flat_map(RawObject::iter)
                    .for_each(|(key, value)| put(key, value));
            }
            "transaction" => {
                if let Some(compensation) =
                    RawObject::from_json(value).ok().and_then(|one| one.get("compensation").cloned())
                {
                    put("compensation", &compensation);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::RESULT_KEY, *};
    use crate::mcp::CallToolResult;

    fn read(text: &'static str) -> Option<CallToolResult> {
        of_bare_data(&RawJson::parse(text).unwrap()).map(|result| result.decode().unwrap())
    }

    #[test]
    fn a_finished_or_empty_result_stays_unchanged() {
        for text in [
            r#"{"content":[]}"#,
            r#"{ "content" : [], "result": 1}"#,
            r#"{"_meta":{},"content":[],"error":{"code":"X","message":"m"}}"#,
            r#"{"structuredContent":{"result":1}}"#,
            r#"{"task":{"taskId":"t"}}"#,
            r#"{"resultType":"input_required","inputRequests":{}}"#,
            r#"{"_mgp":{"cancelled":true},"_meta":{}}"#,
            "{}",
            "[1]",
            r#"{"result":1,"result":2}"#,
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn an_error_is_a_failure_only_with_a_numeric_code() {
        for (text, is_failure) in [
            (r#"{"error":{"code":404,"message":"no such file"}}"#, true),
            (r#"{"error":{"code":null,"message":"no such file"}}"#, false),
        ] {
            assert_eq!(read(text).unwrap().failed(), is_failure, "{text}");
        }
    }

    #[test]
    fn data_of_any_kind_becomes_content_and_objects_structured() {
        for (text, shown, is_structured) in [
            (r#"{"result":{"n":1e500}}"#, r#"{"n":1e500}"#, true),
            (r#"{"result":"text"}"#, "text", false),
            (r#"{"result":[1,2]}"#, "[1,2]", false),
            (r#"{"deleted":true}"#, r#"{"deleted":true}"#, true),
            (r#"{"error":"only a word"}"#, r#"{"error":"only a word"}"#, true),
            (r#"{"contents":1,"isError":true}"#, r#"{"contents":1}"#, true),
        ] {
            let result = read(text).unwrap();
            assert_eq!(result.joined_text(), shown, "{text}");
            assert_eq!(result.structured_content.is_some(), is_structured, "{text}");
            assert_eq!(result.is_error, text.contains("isError").then_some(true), "{text}");
        }
    }

    #[test]
    fn proposal_members_next_to_the_data_are_moved() {
        let result = read(
            r#"{"result":{"n":1},"provenance":{"source":"s","confidence":"exact"},"session_state":"abc","idempotency":{"was_replay":true},
            "transaction":{"step_id":"1","compensation":{"tool":"undo","parameters":{}}},"_meta":{"session_state":"mine"}}"#,
        )
        .unwrap();
        let outcome = result.outcome::<RawJson>().unwrap();
        assert_eq!(outcome.provenance[0].to_string(), "s (exact)");
        let meta = result.meta.unwrap();
        assert_eq!(meta.text("session_state").as_deref(), Some("mine"), "MCP's own member counts");
        assert_eq!(meta.decode("was_replay").unwrap(), Some(true));
        assert_eq!(meta.object("compensation").unwrap().text("tool").as_deref(), Some("undo"));
    }

    #[test]
    fn session_state_is_not_data_and_is_moved() {
        for (text, shown, structured) in [
            (r#"{"session_state":"abc","result":{"n":1}}"#, r#"{"n":1}"#, Some(r#"{"n":1}"#)),
            (r#"{"deleted":true,"session_state":"abc"}"#, r#"{"deleted":true}"#, Some(r#"{"deleted":true}"#)),
            (r#"{"session_state":"abc"}"#, "{}", Some("{}")),
            (
                r#"{"error":{"code":"X","message":"no"},"session_state":"abc","provenance":{"source":"s"}}"#,
                "no",
                None,
            ),
            (
                r#"{"status":"confirmation_required","confirmation_message":"Sure?","session_state":"abc"}"#,
                "the server made no call, because it wants the call to be confirmed: Sure?",
                None,
            ),
        ] {
            let written = of_bare_data(&RawJson::parse(text).unwrap()).unwrap();
            assert_eq!(written.as_str().matches("abc").count(), 1, "{written}");
            let result = read(text).unwrap();
            assert_eq!(result.joined_text(), shown, "{text}");
            assert_eq!(result.structured_content.as_ref().map(RawJson::as_str), structured, "{text}");
            let meta = result.meta.unwrap();
            assert_eq!(meta.text(SESSION_STATE_KEY).as_deref(), Some("abc"), "{text}");
            assert_eq!(meta.object("provenance").is_some(), text.contains("provenance"), "{text}");
        }
        let counted = read(r#"{"session_state":7,"n":1}"#).unwrap();
        assert_eq!((counted.joined_text().as_str(), counted.meta), (r#"{"session_state":7,"n":1}"#, None));
        let ended = read(r#"{"session_state":null,"error":{"code":"X","message":"no"}}"#).unwrap();
        assert!(ended.meta.unwrap().get(SESSION_STATE_KEY).is_some_and(RawJson::is_null));
    }

    #[test]
    fn an_answer_that_requests_a_confirmation_is_a_failure() {
        let wants = r#"{"requires_confirmation":true,"confirmation_message":"Delete it?","risk_level":"destructive","tool":"delete","parameters":{}}"#;
        let result = read(wants).unwrap();
        assert_eq!(result.is_error, Some(true));
        assert!(result.joined_text().ends_with("wants the call to be confirmed: Delete it?"));
        let outcome = result.whole_outcome();
        assert_eq!(outcome.error().map(|error| &error.error_type), Some(&ErrorType::PermissionError));
        for data in [
            r#"{"requires_confirmation":false,"tool":"delete"}"#,
            r#"{"requires_confirmation":true,"name":"delete"}"#,
            r#"{"requires_confirmation":true,"tool":"delete","result":{"deleted":true}}"#,
        ] {
            assert_eq!(read(data).unwrap().is_error, None, "{data}");
        }
    }

    #[test]
    fn a_confirmation_s_secret_and_suggestion_are_moved() {
        let wants = r#"{"status":"confirmation_required","confirmation_message":"Sure?","confirmation_token":"secret"}"#;
        let text = of_bare_data(&RawJson::parse(wants).unwrap()).unwrap();
        assert!(text.as_str().contains("Sure?") && !text.as_str().contains("secret"), "{}", text.as_str());
        let result =
            read(r#"{"suggestion":{"recommended_tool":"recent","reason":"It is faster."},"result":null}"#)
                .unwrap();
        assert_eq!(result.joined_text(), "the server recommends its tool \"recent\": It is faster.");
        assert_eq!((result.is_error, result.structured_content), (None, None));
        assert!(result.meta.unwrap().object("suggestion").is_some());
    }

    #[test]
    fn an_error_in_a_result_is_a_failure_with_its_type() {
        for (code, category, expected) in [
            ("SCOPE_INSUFFICIENT", "auth_required", ErrorType::PermissionError),
            ("OWN", "auth_required", ErrorType::AuthenticationError),
            ("INVALID_INPUT", "invalid_input", ErrorType::ValidationError),
            ("OWN", "transient", ErrorType::ToolExecutionError),
        ] {
            let text = format!(
                r#"{{"error":{{"code":"{code}","category":"{category}","message":"no","suggestion":"Ask."}}}}"#
            );
            let result: CallToolResult =
                of_bare_data(&RawJson::parse(text).unwrap()).unwrap().decode().unwrap();
            assert_eq!((result.is_error, result.joined_text().as_str()), (Some(true), "no. Ask."));
            let outcome = result.whole_outcome();
            let error = outcome.error().unwrap();
            assert_eq!(error.error_type, expected, "{code}");
            assert!(
                matches!(&error.details, Some(super::super::ErrorDetails::Object(all)) if all.text("code").as_deref() == Some(code))
            );
            assert!(result.meta.unwrap().get(RESULT_KEY).is_some());
        }
    }
}
