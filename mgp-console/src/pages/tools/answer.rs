//! The answers of the buttons of a tool.

use super::{
    arguments::arguments,
    result::{content, is_failure},
};
use crate::{
    actions::{CALL, CHECK},
    command_line::command_line,
    form::link,
    page::{Context, Nav, command_box, foreign, time},
};
use form_urlencoded::byte_serialize;
use maud::{Markup, html};
use mgp_types::tool_check::{CallQuestion, CheckToolResult};

/// The address of the REST door in the command to copy: the one that the documentation has.
const REST: &str = "http://127.0.0.1:8800";

/// Returns the result of a call.
pub(crate) fn call_answer(context: &Context, json: &str) -> Markup {
    let words = &context.texts.tools;
    let (state, word) = match is_failure(json) {
        true => ("FAILURE", &words.tool_failed),
        false => ("SUCCESS", &words.tool_answered),
    };
    html! {
        h3 { span .state data-state=(state) { (word) } }
        (content(context, json))
        (same_as(context, CALL.words))
    }
}

/// Returns the judgement on a call that was not made.
pub(crate) fn check_answer(context: &Context, json: &str) -> Markup {
    let words = &context.texts.tools;
    let Ok(judgement) = serde_json::from_str::<CheckToolResult>(json) else { return content(context, json) };
    let (state, word) = match (judgement.allowed, judgement.would_ask.is_empty()) {
        (false, _) => ("BLOCKED", &words.refused),
        (true, true) => ("SUCCESS", &words.allowed),
        (true, false) => ("BLOCKED", &words.allowed_after),
    };
    let error = judgement.error.as_ref().map(|error| error.message.as_str());
    html! {
        h3 { span .state data-state=(state) { (word) } }
        @if let Some(reason) = error.or(judgement.reason.as_deref()) { p { (foreign(reason)) } }
        @if !judgement.would_ask.is_empty() {
            ul { @for question in &judgement.would_ask { li { (asked(context, question)) } } }
        }
        @if let Some(quota) = &judgement.quota {
            p { (words.quota) ": " (quota.cost) " / " (quota.remaining) " · " (words.until) " " (time(&quota.resets_at)) }
        }
        @if let Some(agent) = context.query.one("agent") {
            p { a href=(link(Nav::Agents.path(), "agent", agent)) { (words.why_allowed) } }
        }
        (same_as(context, CHECK.words))
    }
}

fn asked(context: &Context, question: &CallQuestion) -> Markup {
    html! {
        (question.kind.to_string()) ": " (foreign(&question.reason))
        @if question.request_id.is_some() { " " a href=(Nav::Approvals.path()) { (context.texts.tools.decide) } }
    }
}

/// Returns the command lines that do the same.
fn same_as(
    context: &Context,
    words_of: fn(&crate::form::Form) -> Result<Vec<String>, crate::command_line::FieldError>,
) -> Markup {
    let words = &context.texts.tools;
    let (Ok(line), Ok(arguments)) = (words_of(&context.query), arguments(&context.query)) else {
        return html! {};
    };
    let tool = context.query.one("tool").unwrap_or_default();
    let dry_run = if line.iter().any(|word| word == "--dry-run") { "?dry_run=true" } else { "" };
    let address = format!("{REST}/tools/{}{dry_run}", byte_serialize(tool.as_bytes()).collect::<String>());
    let curl = ["-s", &address, "-H", "Content-Type: application/json", "-d", arguments.as_str()];
    let curl: Vec<_> = curl.iter().map(|word| (*word).to_owned()).collect();
    html! {
        details {
            summary { (words.same_as) }
            (command_box(context, &words.command, &format!("mgp {}", command_line(&line))))
            (command_box(context, &words.curl, &format!("curl {}", command_line(&curl))))
            p .quiet { (words.curl_help) }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        operator::OperatorRole,
        testing::{FAILED, TestConsole},
    };
    use http::StatusCode;

    const FORM: &str = "tool=notes__add&text%21%2Ftext=it%27s&integer%2Flimit=7&text%2Fempty=";

    #[tokio::test]
    async fn a_call_shows_its_result_and_how_to_repeat_it() {
        let console = TestConsole::new(
            OperatorRole::Admin,
            &[("call", r#"{"content":[{"type":"text","text":"<b>7</b>"}]}"#)],
        );
        let (status, page) = console.post("/do/call-tool", &format!("{FORM}&yes=1&agent=--ann")).await;
        assert_eq!(status, 200, "{page}");
        assert_eq!(console.ran(), [r#"call --agent=--ann --yes -- notes__add {"text":"it's","limit":7}"#]);
        for expected in [
            "The tool answered",
            "&lt;b&gt;7&lt;/b&gt;",
            r"'\''s",
            "http://127.0.0.1:8800/tools/notes__add -H",
        ] {
            assert!(page.contains(expected), "{expected}: {page}");
        }
        assert!(!page.contains("<b>7"));
    }

    #[tokio::test]
    async fn a_dry_run_shows_what_a_call_would_lead_to() {
        let json = r#"{"allowed":true,"would_ask":[{"kind":"permission","reason":"needs <memory.write>","request_id":"perm-1"}],
            "quota":{"remaining":12,"limit":20,"cost":5,"resets_at":"2026-03-16T00:00:00Z"}}"#;
        let console = TestConsole::new(OperatorRole::Approver, &[("call --dry-run", json)]);
        let (status, page) = console.post("/do/check-tool", FORM).await;
        assert_eq!(status, 200, "{page}");
        assert_eq!(console.ran(), [r#"call --dry-run -- notes__add {"text":"it's","limit":7}"#]);
        for expected in
            ["after these questions", "needs &lt;memory.write&gt;", "/approvals", "5 / 12", "?dry_run=true"]
        {
            assert!(page.contains(expected), "{expected}: {page}");
        }
        let refused = r#"{"allowed":false,"would_ask":[],"reason":"no rule","error":{"code":1001,"message":"agent may not"}}"#;
        let console = TestConsole::new(OperatorRole::Approver, &[("call --dry-run", refused)]);
        let (_, page) = console.post("/do/check-tool", FORM).await;
        assert!(page.contains("refused") && page.contains("agent may not"), "{page}");
    }

    #[tokio::test]
    async fn a_viewer_calls_and_checks_nothing() {
        for (role, path) in [
            (OperatorRole::Viewer, "/do/call-tool"),
            (OperatorRole::Viewer, "/do/check-tool"),
            (OperatorRole::Approver, "/do/call-tool"),
        ] {
            let console = TestConsole::new(role, &[("call", "{}")]);
            let (status, page) = console.post(path, FORM).await;
            assert_eq!(status, 403, "{page}");
            assert!(console.ran().is_empty());
        }
    }

    #[tokio::test]
    async fn a_wrong_argument_is_an_error_before_any_call() {
        let console = TestConsole::new(OperatorRole::Admin, &[("call", "{}")]);
        let (status, page) = console.post("/do/call-tool", "tool=x&integer%2Flimit=ten").await;
        assert_eq!(status, 422);
        assert!(page.contains("expected a whole number, such as 10") && page.contains("limit"), "{page}");
        assert!(console.ran().is_empty());
    }

    #[tokio::test]
    async fn a_failed_tool_is_marked_and_its_result_shown() {
        let json = r#"{"isError":true,"content":[{"type":"text","text":"disk full"}]}"#;
        for (answer, has_trace) in [(json.to_owned(), false), (format!("{FAILED}{json}"), true)] {
            let console = TestConsole::new(OperatorRole::Admin, &[("call", &answer)]);
            let (status, page) = console.post("/do/call-tool", FORM).await;
            assert_eq!((status, page.contains("/trail?trace=t-1")), (StatusCode::OK, has_trace), "{page}");
            assert!(page.contains("The tool failed") && page.contains("disk full"), "{page}");
        }
    }
}
