//! One trace: the cause of its error, its line of time, and its events.

use super::{
    event::{EventParts, Events},
    event_name::event_name,
    filter::TrailFilter,
    row::{cells, heads, result_mark, target_links},
    steps::transaction_steps,
    timeline::{MAX_DRAWN, duration, spans, timeline},
};
use crate::{
    command_line::command_line,
    commands::CommandError,
    form::{address, link},
    page::{Context, Nav, command_box, foreign, foreign_block},
    pages::agents::rule_links,
    texts::number,
};
use maud::{Markup, html};
use mgp_types::{
    audit::{AuditEvent, AuditResult},
    context::ActorType,
};

/// The most events of a trace.
const MOST: usize = 500;

pub(super) async fn trace(context: &Context, id: &str) -> Result<Markup, CommandError> {
    let words = &context.texts.trail;
    let filter = TrailFilter { trace: Some(id), ..TrailFilter::default() };
    let Events { events } = context.read_words(filter.events(MOST)).await?;
    let whole_id = events.iter().find_map(|event| event.trace_id.get().cloned());
    let count = number(events.len() as u64, &words.event_one, &words.event_many);
    let took = spans(&events).iter().flatten().map(|span| span.end).fold(0.0, f64::max);
    let line = filter.events(MOST).finish();
    Ok(html! {
        p .quiet { a href=(Nav::Trail.path()) { (words.all_events) } }
        h1 { (words.trace) " " (foreign(whole_id.as_deref().unwrap_or(id))) }
        @if events.is_empty() {
            p .empty { strong { (words.no_trace) } " " (words.no_trace_help) }
        } @else {
            p .quiet { (count) ", " (duration(took)) }
            (cause(context, &events))
            h2 #line { (words.line) }
            (timeline(context, &events, &words.line))
            @if events.len() > MAX_DRAWN { p .quiet { (words.not_drawn.replace("{n}", &MAX_DRAWN.to_string())) } }
            (transaction_steps(context, &events).await)
            h2 #events { (words.events) }
            p .quiet { (words.no_arguments) }
            (event_table(context, &events))
            @if events.len() == MOST { p .quiet { (words.cut.replace("{n}", &MOST.to_string())) } }
        }
        h2 { (words.same_as) }
        (command_box(context, &words.command, &format!("mgp {}", command_line(&line))))
    })
}

/// Returns the event that explains the error of a trace: the last one that did not succeed and has a reason.
fn cause_of(events: &[AuditEvent]) -> Option<&AuditEvent> {
    let failed = |event: &&AuditEvent| event.result != AuditResult::Success;
    let explained = events.iter().rev().filter(failed).find(|event| event.detail("reason").is_some());
    explained.or_else(|| events.iter().rev().find(failed))
}

fn cause(context: &Context, events: &[AuditEvent]) -> Markup {
    let words = &context.texts.trail;
    let Some(event) = cause_of(events) else { return html! { p { (words.all_well) } } };
    // The question has an event of its own.
    let is_asked = events.iter().any(|event| event.detail("request_id").is_some());
    let (server, tool) = (event.server().unwrap_or_default(), event.tool().unwrap_or_default());
    let view = if server.is_empty() { "" } else { "explain" };
    let rules = [("view", view), ("agent", event.actor.id.as_str()), ("server", server), ("tool", tool)];
    let similar = [("server", server), ("tool", tool), ("result", event.result.as_str())];
    html! {
        section .error aria-labelledby="cause" {
            h2 #cause { (words.cause) }
            p { (result_mark(context, event)) " " (event_name(context, event.short_type())) " " (target_links(event)) }
            (foreign_block(&event.brief()))
            ul .next {
                @if is_asked { li { a href=(Nav::Approvals.path()) { (words.to_approvals) } } }
                @if event.result == AuditResult::Blocked {
                    li { a href=(address(Nav::Agents.path(), &rules)) { (words.to_rules) } }
                    @if event.actor.kind == ActorType::Agent && !server.is_empty() {
                        li { (words.change_rule) " " (rule_links(context, &event.actor.id, server, event.tool())) }
                    }
                }
                @if let Some(server) = event.server() {
                    @if event.result == AuditResult::Failure { li { a href=(link(Nav::Servers.path(), "id", server)) { (words.to_server) } } }
                }
                @if event.tool().is_some() {
                    li { a href=(address(Nav::Trail.path(), &similar)) { (words.to_similar) } }
                }
            }
        }
    }
}

fn event_table(context: &Context, events: &[AuditEvent]) -> Markup {
    let words = &context.texts.trail;
    html! {
        div .scroll tabindex="0" role="region" aria-labelledby="events" { table .events {
            thead { tr { th scope="col" .number { (words.number) } (heads(context)) } }
            tbody { @for (n, event) in events.iter().enumerate() { tr {
                td .number { (n + 1) }
                (cells(context, event))
            } } }
        } }
    }
}

#[cfg(test)]
mod tests {
    use crate::{operator::OperatorRole, testing::TestConsole};

    fn event(event_type: &str, result: &str, details: &str) -> String {
        format!(
            r#"{{"timestamp":"2026-11-20T10:04:22.362Z","trace_id":"01a1f86a-0dd9","event_type":"{event_type}",
            "actor":{{"type":"agent","id":"ann"}},"target":{{"server_id":"notes","tool_name":"add"}},"result":"{result}",
            "details":{{{details}}}}}"#
        )
    }

    async fn page(events: &[String], more: &[(&str, &str)]) -> (String, Vec<String>) {
        let json = format!("{{\"events\":[{}]}}", events.join(","));
        let answers: Vec<_> = [("audit", json.as_str())].into_iter().chain(more.iter().copied()).collect();
        let console = TestConsole::new(OperatorRole::Viewer, &answers);
        let (status, page) = console.get("/trail?trace=01a1&agent=other").await;
        assert_eq!(status, 200, "{page}");
        (page, console.ran())
    }

    #[tokio::test]
    async fn a_refusal_shows_its_cause_and_what_to_do() {
        let events = [
            event("dev.cloto.mgp.APPROVAL_NEEDED", "SUCCESS", r#""request_id":"perm-1""#),
            event(
                "TOOL_BLOCKED",
                "BLOCKED",
                r#""reason":"needs <memory.write>","request_id":"perm-1","duration_ms":12"#,
            ),
        ];
        let (page, ran) = page(&events, &[]).await;
        assert_eq!(ran, ["audit --last=500 --trace=01a1"], "a trace is read whole");
        for expected in [
            "id=\"cause\"",
            "needs &lt;memory.write&gt;",
            "Decide on the question",
            "/agents?view=explain&amp;agent=ann&amp;server=notes&amp;tool=add",
            "/agents?view=rules&amp;agent=ann&amp;server=notes&amp;tool=add&amp;rule=allow#new-rule",
            "<svg class=\"timeline\"",
            "title=\"APPROVAL_NEEDED\">Question asked",
            "12 ms",
            "01a1f86a-0dd9",
        ] {
            assert!(page.contains(expected), "{expected}: {page}");
        }
    }

    #[tokio::test]
    async fn a_retried_call_that_succeeds_still_shows_its_failure() {
        let events = [
            event("dev.cloto.mgp.TOOL_RETRIED", "FAILURE", r#""retry":1,"error_code":5000,"waited_ms":250"#),
            event("TOOL_EXECUTED", "SUCCESS", r#""duration_ms":400,"attempts":2"#),
        ];
        let (page, _) = page(&events, &[]).await;
        assert!(page.contains("error_code=5000") && page.contains("250 ms"), "{page}");
    }

    #[tokio::test]
    async fn a_trace_without_failure_has_no_cause() {
        let (page, _) = page(&[event("TOOL_EXECUTED", "SUCCESS", "")], &[]).await;
        assert!(!page.contains("id=\"cause\"") && page.contains("Every event of it succeeded"), "{page}");
    }

    #[tokio::test]
    async fn the_steps_of_a_transaction_are_shown() {
        let json = r#"{"transactions":[{"transaction_id":"--order","agent":"ann","status":"rolled_back","explanation":"all <undone>","steps":[
            {"step_id":"ticket","status":"compensated","server_id":"jira","tool":"create","compensation":{"tool":"delete","arguments":{}}}]}]}"#;
        let events =
            [event("dev.cloto.mgp.TRANSACTION_BEGUN", "SUCCESS", r#""transaction_id":"--order","steps":1"#)];
        let (shown, ran) = page(&events, &[("transactions", json)]).await;
        assert_eq!(ran, ["audit --last=500 --trace=01a1", "transactions -- --order"]);
        for expected in ["ticket", "compensated", "delete", "all &lt;undone&gt;"] {
            assert!(shown.contains(expected), "{expected}: {shown}");
        }
        let (gone, _) = page(&events, &[]).await;
        assert!(gone.contains("not kept"), "{gone}");
    }

    #[tokio::test]
    async fn an_unknown_trace_says_what_to_do_next() {
        let (page, _) = page(&[], &[]).await;
        assert!(page.contains("class=\"empty\""), "{page}");
    }
}
