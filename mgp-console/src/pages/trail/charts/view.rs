//! The part of the page with the charts.

use super::{
    bars::bars,
    frame::Series,
    groups::{BY, groups},
    lines::lines,
    report::{CountReport, Counts},
};
use crate::{
    command_line::{Words, command_line},
    commands::CommandError,
    page::{Context, Nav, Tab, command_box, error_box, tabs, time},
    pages::trail::{
        filter::TrailFilter,
        filter_form::filter_form,
        heading::{CHARTS, heading},
    },
    texts::number,
};
use maud::{Markup, html};

/// The span of time that is shown at first.
const SPAN: &str = "24h";

pub(in crate::pages::trail) async fn charts(
    context: &Context,
    filter: &TrailFilter<'_>,
) -> Result<Markup, CommandError> {
    let words = &context.texts.trail;
    // The events of one agent are of few servers.
    let first = if filter.agent.is_some() { "tool" } else { "server" };
    let chosen = context.query.one("by").and_then(|by| BY.into_iter().find(|known| *known == by));
    let by = chosen.unwrap_or(first);
    let filter = TrailFilter { since: filter.since.or(Some(SPAN)), ..*filter };
    let line = || filter.add_to(Words::of(&["audit", "count"]).option("by", Some(by)));
    let read = context.read_words::<CountReport>(line()).await;
    Ok(html! {
        (heading(context, Some(CHARTS)))
        (filter_form(context, &filter, Some(CHARTS)))
        // The filters stay within reach if one of them is wrong.
        @match read {
            Ok(report) => (report_view(context, &report, by)),
            Err(error) => (error_box(context, &error)),
        }
        h2 { (words.same_as) }
        (command_box(context, &words.command, &format!("mgp {}", command_line(&line().finish()))))
    })
}

fn report_view(context: &Context, report: &CountReport, by: &str) -> Markup {
    let words = &context.texts.trail;
    let calls = [
        Series {
            name: &words.succeeded,
            mark: "calls",
            value: |bucket| Some(bucket.counts.succeeded() as f64),
        },
        Series { name: &words.failed, mark: "failed", value: |bucket| Some(bucket.counts.failed as f64) },
        Series { name: &words.refused, mark: "refused", value: |bucket| Some(bucket.counts.refused as f64) },
    ];
    let latency = [
        Series { name: &words.half_within, mark: "p50", value: |bucket| bucket.counts.p50_ms },
        Series { name: &words.most_within, mark: "p95", value: |bucket| bucket.counts.p95_ms },
    ];
    let tokens = [Series {
        name: &words.tokens,
        mark: "tokens",
        value: |bucket| bucket.counts.tokens.map(|tokens| tokens as f64),
    }];
    html! {
        p { (attempts(context, &report.total)) " · " (time(&report.since)) " – " (time(&report.until)) }
        @if report.total.events == 0 {
            p .empty { strong { (words.none_fit) } " " (words.none_fit_help) }
        } @else {
            div .charts {
                (bars(context, &words.calls_over_time, &report.buckets, &calls))
                (lines(context, &words.latency, &report.buckets, &latency))
                @if report.total.tokens.is_some() { (bars(context, &words.tokens, &report.buckets, &tokens)) }
            }
            h2 #groups { (words.by_group) }
            (tabs(&words.by_group, BY.map(|kind| Tab {
                title: name(context, kind),
                address: context.query.with(Nav::Trail.path(), "by", Some(kind)),
                is_current: kind == by,
            })))
            (groups(context, report, by))
        }
    }
}

/// Says how many calls were tried, and what became of them. A refused call is not among those that were made.
fn attempts(context: &Context, total: &Counts) -> String {
    let words = &context.texts.trail;
    let parts = words.attempts_of.replace("{calls}", &total.calls.to_string());
    let parts =
        parts.replace("{failed}", &total.failed.to_string()).replace("{refused}", &total.refused.to_string());
    format!("{} {parts}", number(total.all_calls(), &words.attempts_one, &words.attempts_many))
}

/// Returns the name of a kind of groups.
fn name<'a>(context: &'a Context, by: &str) -> &'a str {
    let words = &context.texts.trail;
    match by {
        "agent" => &words.by,
        "server" => &words.server,
        "tool" => &words.tool,
        "type" => &words.event,
        _ => &words.result,
    }
}

#[cfg(test)]
mod tests {
    use crate::{operator::OperatorRole, testing::TestConsole};

    const COUNTS: &str = r#"{"since":"2026-11-29T02:00:00Z","until":"2026-11-30T02:00:00Z","by":"tool","bucket_secs":3600,
        "total":{"events":130,"calls":120,"failed":3,"refused":7,"p50_ms":12.5,"p95_ms":80,"tokens":4100},
        "buckets":[{"from":"2026-11-29T02:00:00Z","events":10,"calls":9,"failed":1,"refused":1,"p50_ms":10,"p95_ms":70,"tokens":100},
            {"from":"2026-11-29T03:00:00Z","events":0,"calls":0,"failed":0,"refused":0,"p50_ms":null,"p95_ms":null,"tokens":0}],
        "groups":[{"name":"<b>add","server_id":"notes","events":60,"calls":50,"failed":0,"refused":0,"p50_ms":3,"p95_ms":9,"tokens":12345}],
        "left_out":4}"#;

    #[tokio::test]
    async fn charts_show_what_the_command_counts() {
        let console = TestConsole::new(OperatorRole::Viewer, &[("audit count", COUNTS)]);
        let (status, page) = console.get("/trail?view=charts&by=tool&agent=ann").await;
        assert_eq!(status, 200, "{page}");
        assert_eq!(console.ran(), ["audit count --by=tool --agent=ann --since=24h"]);
        for expected in [
            "127 attempts: 120 made, 3 of them failed; 7 refused",
            "data-series=\"refused\"",
            "data-series=\"p95\"",
            "12 k",
            "4 more",
            "&lt;b&gt;add",
            "/trail?agent=ann&amp;server=notes&amp;tool=%3Cb%3Eadd",
        ] {
            assert!(page.contains(expected), "{expected}: {page}");
        }
        assert_eq!(page.matches("<figure class=\"chart\">").count(), 3);
        assert_eq!(page.matches("<div class=\"times\"><time").count(), 3, "{page}");
        assert_eq!(page.matches("<figure").count(), page.matches("<details><summary>As a table:").count());
        assert!(!page.contains("style=") && !page.contains("<b>add"));
    }

    #[tokio::test]
    async fn charts_without_tokens_or_events_leave_them_out() {
        let console =
            TestConsole::new(OperatorRole::Viewer, &[("audit count", r#"{"total":{"events":1,"calls":1}}"#)]);
        let (_, page) = console.get("/trail?view=charts&by=--x").await;
        assert_eq!(console.ran(), ["audit count --by=server --since=24h"]);
        console.get("/trail?view=charts&agent=ann").await;
        assert_eq!(console.ran(), ["audit count --by=tool --agent=ann --since=24h"]);
        assert_eq!(page.matches("<figure").count(), 2, "{page}");
        let console = TestConsole::new(OperatorRole::Viewer, &[("audit count", "{}")]);
        let (_, page) = console.get("/trail?view=charts").await;
        assert!(page.contains("No event fits"), "{page}");
    }

    #[tokio::test]
    async fn many_spans_and_groups_are_cut() {
        let bucket = r#"{"from":"2026-11-29T02:00:00Z","calls":1}"#;
        let group = r#"{"name":"g","calls":1}"#;
        let json = format!(
            r#"{{"total":{{"events":1}},"buckets":[{}],"groups":[{}]}}"#,
            vec![bucket; 10_000].join(","),
            vec![group; 10_000].join(",")
        );
        let console = TestConsole::new(OperatorRole::Viewer, &[("audit count", &json)]);
        let (_, page) = console.get("/trail?view=charts").await;
        assert!(page.len() < 400_000, "{}", page.len());
        assert!(page.contains("9950 more"));
    }

    #[tokio::test]
    async fn a_wrong_filter_leaves_the_form_on_the_page() {
        let console = TestConsole::new(OperatorRole::Viewer, &[]);
        let (_, page) = console.get("/trail?view=charts&since=soon").await;
        assert!(page.contains("role=\"alert\"") && page.contains("value=\"soon\""), "{page}");
    }
}
