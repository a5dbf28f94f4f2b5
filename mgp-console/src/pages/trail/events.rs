//! The events that fit the filters, the newest first.

use super::{
    event::{EventParts, Events},
    event_name::ANNOUNCED,
    filter::TrailFilter,
    filter_form::filter_form,
    heading::heading,
    row::{cells, heads, trace_link},
    verify::verify_form,
};
use crate::{
    command_line::{Words, command_line},
    commands::CommandError,
    page::{Context, Nav, command_box, error_box, time},
    texts::number,
};
use maud::{Markup, html};
use mgp_types::audit::AuditEvent;
use std::collections::HashSet;

/// The number of events of a part.
const PART: usize = 100;

pub(super) async fn events(context: &Context, filter: &TrailFilter<'_>) -> Result<Markup, CommandError> {
    let words = &context.texts.trail;
    // One more says whether there are older ones.
    let read = context.read_words::<Events>(filter.events(PART + 1)).await;
    let is_empty = read.as_ref().is_ok_and(|read| read.events.is_empty());
    let is_of_time = filter.since.is_some() || filter.until.is_some();
    let first = if is_empty && is_of_time { first_event(context).await } else { None };
    let line = filter.events(PART).finish();
    Ok(html! {
        (heading(context, None))
        (filter_form(context, filter, None))
        // The filters stay within reach if one of them is wrong.
        @match read {
            Ok(read) => (part(context, filter, &read.events, first.as_deref())),
            Err(error) => (error_box(context, &error)),
        }
        h2 { (words.keep) }
        p { a href=(context.query.with("/trail/export", "before", None)) download="trail.jsonl" { (words.export) } " "
            span .quiet { (words.export_help) } }
        (command_box(context, &words.export_all, &format!("mgp {}", command_line(&filter.export().finish()))))
        (verify_form(context))
        h2 { (words.same_as) }
        (command_box(context, &words.command, &format!("mgp {}", command_line(&line))))
    })
}

/// Returns the time of the first event, which has the number 1. It is unknown if that event was removed for its age, or is of another machine.
async fn first_event(context: &Context) -> Option<String> {
    let words = Words::of(&["audit"]).option("last", Some("1")).option("before", Some("2"));
    let read: Events = context.read_words(words).await.ok()?;
    read.events.into_iter().next().map(|event| event.timestamp)
}

/// Returns the newest of some events, and the ways to the newer and the older ones.
fn part(context: &Context, filter: &TrailFilter<'_>, events: &[AuditEvent], first: Option<&str>) -> Markup {
    let words = &context.texts.trail;
    let has_older = events.len() > PART;
    let events: Vec<&AuditEvent> = events.iter().rev().take(PART).collect();
    let older = events.last().filter(|_| has_older).and_then(|event| event.cursor());
    html! {
        @if !events.is_empty() {
            p .quiet { (words.no_arguments) }
            (event_table(context, &events))
        }
        @else if filter.is_set() || filter.before.is_some() {
            p .empty { strong { (words.none_fit) } " " (words.none_fit_help)
                @if let Some(first) = first { " " (words.begins) " " (time(first)) } }
        } @else { p .empty { strong { (words.none) } " " (words.none_help) } }
        nav .pages aria-label=(words.parts) {
            @if filter.before.is_some() { a href=(context.query.with(Nav::Trail.path(), "before", None)) { (words.newest) } }
            @if let Some(older) = &older { a href=(context.query.with(Nav::Trail.path(), "before", Some(older))) { (words.older) } }
        }
    }
}

fn event_table(context: &Context, events: &[&AuditEvent]) -> Markup {
    let words = &context.texts.trail;
    let (shown, folded) = without_announcements(context, events);
    let announced = context.query.with(Nav::Trail.path(), "type", Some(ANNOUNCED));
    html! {
        @if folded > 0 {
            p .quiet { (number(folded, &words.announced_one, &words.announced_many)) " " a href=(announced) { (words.show_announced) } }
        }
        div .scroll tabindex="0" role="region" aria-label=(words.events) { table .events {
            thead { tr { (heads(context)) th scope="col" { (words.trace) } } }
            tbody { @for event in shown { tr { (cells(context, event)) td .trace { (trace_link(context, event)) } } } }
        } }
    }
}

/// Returns the events without announcements of changes that are among them, and the number of these. A reader who asks for announcements gets all.
fn without_announcements<'a>(context: &Context, events: &[&'a AuditEvent]) -> (Vec<&'a AuditEvent>, u64) {
    let change = |event: &AuditEvent| event.detail("change_id");
    let is_announced = |event: &AuditEvent| event.short_type() == ANNOUNCED;
    let made: HashSet<_> =
        events.iter().filter(|event| !is_announced(event)).filter_map(|event| change(event)).collect();
    let is_asked_for = context.query.one("type").is_some_and(|name| name.ends_with(ANNOUNCED));
    let is_folded =
        |event: &AuditEvent| is_announced(event) && change(event).is_some_and(|id| made.contains(&id));
    let shown: Vec<_> = events.iter().copied().filter(|event| is_asked_for || !is_folded(event)).collect();
    let folded = (events.len() - shown.len()) as u64;
    (shown, folded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{operator::OperatorRole, testing::TestConsole};

    fn event(seq: usize, more: &str) -> String {
        format!(
            r#"{{"timestamp":"2026-11-20T10:04:22.362Z","trace_id":"01a1f86a-{seq}","event_type":"dev.cloto.mgp.CALL_DENIED",
            "actor":{{"type":"agent","id":"<b>ann"}},"target":{{"server_id":"notes","tool_name":"add"}},"result":"BLOCKED",
            "details":{{"reason":"needs <memory.write>","duration_ms":3}},"_mgp":{{"seq":{seq}{more}}}}}"#
        )
    }

    fn answer(events: &[String]) -> String {
        format!(r#"{{"events":[{}]}}"#, events.join(","))
    }

    #[tokio::test]
    async fn events_are_shown_with_their_ways_on() {
        let console = TestConsole::new(OperatorRole::Viewer, &[("audit", &answer(&[event(7, "")]))]);
        let (status, page) = console.get("/trail").await;
        assert_eq!(status, 200, "{page}");
        assert_eq!(console.ran(), ["audit --last=101"]);
        for expected in [
            "<span title=\"CALL_DENIED\">Calls denied</span>",
            "title=\"BLOCKED\">Refused</span>",
            "<td class=\"number\">3 ms</td>",
            "arguments of calls are not recorded",
            "&lt;b&gt;ann",
            "/trail?agent=%3Cb%3Eann",
            "/servers?id=notes",
            "/tools?name=notes__add",
            "/trail?trace=01a1f86a-7",
            "needs &lt;memory.write&gt;",
            "&quot;duration_ms&quot;: 3",
        ] {
            assert!(page.contains(expected), "{expected}: {page}");
        }
        assert!(!page.contains("<b>ann") && !page.contains("before="), "{page}");
    }

    #[tokio::test]
    async fn a_long_reason_is_cut_in_its_row_and_whole_below() {
        let reason = format!("{}END", "ä ".repeat(200));
        let long = event(7, "").replace("needs <memory.write>", &reason);
        let console = TestConsole::new(OperatorRole::Viewer, &[("audit", &answer(&[long]))]);
        let (_, page) = console.get("/trail").await;
        let summary = page.split("<summary>").nth(1).unwrap().split("</summary>").next().unwrap();
        assert!(summary.contains('…') && !summary.contains("END"), "{summary}");
        assert_eq!(page.matches("END").count(), 1);
    }

    #[tokio::test]
    async fn every_filter_is_an_option_of_the_command() {
        let console = TestConsole::new(OperatorRole::Viewer, &[("audit", &answer(&[]))]);
        let query = "agent=a&server=--s&tool=t&type=TOOL_BLOCKED&result=BLOCKED&since=7d&until=1h&before=9";
        let (_, page) = console.get(&format!("/trail?{query}")).await;
        let expected = "audit --last=101 --agent=a --server=--s --tool=t --type=TOOL_BLOCKED --result=BLOCKED --since=7d --until=1h --before=9";
        assert_eq!(console.ran(), ["audit --last=1 --before=2", expected]);
        // The place of the page is not a filter of the export.
        let export = "mgp audit export --format=ocsf --agent=a --server=--s --tool=t --type=TOOL_BLOCKED --result=BLOCKED --since=7d --until=1h<";
        assert!(page.contains(export), "{page}");
        assert!(page.contains("No event fits") && page.contains("value=\"--s\""), "{page}");
    }

    #[tokio::test]
    async fn older_events_are_one_step_away() {
        let events: Vec<_> = (1..=PART + 1).map(|seq| event(seq, "")).collect();
        let console = TestConsole::new(OperatorRole::Viewer, &[("audit", &answer(&events))]);
        let (_, page) = console.get("/trail?agent=x").await;
        assert!(page.contains("/trail?agent=x&amp;before=2\""), "{page}");
        assert!(page.contains("01a1f86a-101\"") && !page.contains("01a1f86a-1\""));
        let of_trails: Vec<_> = (1..=PART + 1).map(|seq| event(seq, r#","trail":"t1""#)).collect();
        let console = TestConsole::new(OperatorRole::Viewer, &[("audit", &answer(&of_trails))]);
        let (_, page) = console.get("/trail").await;
        assert!(page.contains("before=t1%3A2\""), "{page}");
    }

    #[tokio::test]
    async fn a_change_is_shown_once_and_a_question_has_no_outcome() {
        let named = |seq, name: &str, id: &str| {
            let event = event(seq, "").replace("CALL_DENIED", name).replace("BLOCKED", "SUCCESS");
            event.replace("\"duration_ms\":3", &format!("\"change_id\":\"{id}\""))
        };
        let events = [
            named(1, "CHANGE_INTENDED", "a"),
            named(2, "CALL_APPROVED", "a"),
            named(3, "CHANGE_INTENDED", "b"),
            named(4, "APPROVAL_NEEDED", "c"),
        ];
        let console = TestConsole::new(OperatorRole::Viewer, &[("audit", &answer(&events))]);
        let (_, page) = console.get("/trail").await;
        assert!(page.contains("One announcement") && page.contains("/trail?type=CHANGE_INTENDED"), "{page}");
        assert_eq!(page.matches("Change announced</span>").count(), 1, "that without an outcome");
        assert_eq!(page.matches("title=\"SUCCESS\"").count(), 1, "{page}");
        let (_, page) = console.get("/trail?type=CHANGE_INTENDED").await;
        assert_eq!(page.matches("Change announced</span>").count(), 2);
    }

    #[tokio::test]
    async fn spans_of_time_are_one_step_away() {
        let first = answer(&[event(1, "")]);
        let console = TestConsole::new(
            OperatorRole::Viewer,
            &[("audit", &answer(&[])), ("audit --last=1 --before=2", &first)],
        );
        let (_, page) = console.get("/trail?agent=a&since=7d&until=1d&before=9").await;
        for part in [
            "href=\"/trail?agent=a&amp;since=1h\"",
            "data-day=\"-1\"",
            "type=\"hidden\" name=\"since\" value=\"7d\"",
            "data-fills=\"f-until-filter\"",
            "The trail begins: <time datetime=\"2026-11-20T10:04:22.362Z\"",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }

    #[tokio::test]
    async fn a_trail_without_events_says_what_comes() {
        let console = TestConsole::new(OperatorRole::Viewer, &[("audit", &answer(&[]))]);
        let (_, page) = console.get("/trail").await;
        assert!(page.contains("class=\"empty\"") && page.contains("No event is recorded yet"), "{page}");
    }

    #[tokio::test]
    async fn a_wrong_filter_is_an_error_next_to_the_form() {
        let console = TestConsole::new(OperatorRole::Viewer, &[]);
        let (_, page) = console.get("/trail?since=soon").await;
        assert!(
            page.contains("role=\"alert\"")
                && page.contains("value=\"soon\"")
                && page.contains("try another"),
            "{page}"
        );
    }
}
