//! The log of a server or of the gateways.

use crate::{
    commands::CommandError,
    page::{Context, Nav, foreign, time},
};
use maud::{Markup, html};
use serde::Deserialize;

/// The numbers of lines that can be shown.
const LENGTHS: [usize; 3] = [100, 500, 2000];

/// The output of `mgp logs`.
#[derive(Debug, Deserialize)]
struct Log {
    lines: Vec<LogLine>,
}

#[derive(Debug, Deserialize)]
struct LogLine {
    time: String,
    level: String,
    #[serde(default)]
    pid: u32,
    text: String,
}

/// Returns the log of a server: its stderr, and what gateways say about it.
pub(super) async fn server_log(context: &Context, id: &str) -> Result<Markup, CommandError> {
    let last = format!("--last={}", length(context));
    let log: Log = context.read(&["logs", &last, "--", id]).await?;
    let words = &context.texts.server;
    Ok(html! {
        section aria-labelledby="log" { h2 #log { (words.log) } p .quiet { (words.log_help) } (written(context, &log)) }
    })
}

/// Writes the log of the gateways.
pub(super) async fn gateway_log(context: &Context) -> Result<Markup, CommandError> {
    let last = format!("--last={}", length(context));
    let log: Log = context.read(&["logs", &last]).await?;
    let words = &context.texts.server;
    Ok(html! {
        p .back { a href=(Nav::Servers.path()) { (words.all) } }
        h1 #log { (words.gateway_log) }
        (written(context, &log))
    })
}

/// Returns the number of lines to show.
fn length(context: &Context) -> usize {
    let named = context.query.one("last").and_then(|last| last.parse().ok());
    LENGTHS.into_iter().find(|length| Some(*length) == named).unwrap_or(LENGTHS[0])
}

fn written(context: &Context, log: &Log) -> Markup {
    let (words, query, path) = (&context.texts.server, &context.query, Nav::Servers.path());
    let follows = query.has("follow");
    html! {
        p .choices {
            @if follows { a href=(query.with(path, "follow", None)) { (words.unfollow) } }
            @else { a href=(query.with(path, "follow", Some("1"))) { (words.follow) } }
            @for most in LENGTHS {
                a href=(query.with(path, "last", Some(&most.to_string()))) aria-current=[(most == length(context)).then_some("true")] {
                    (words.last_lines.replace("{n}", &most.to_string()))
                }
            }
        }
        div .log .scroll tabindex="0" role="log" aria-labelledby="log" {
            // Only the lines are read again, so that the place of the reader stays.
            div #lines hx-get=[follows.then_some("")] hx-trigger=[follows.then_some("every 2s")] hx-select="#lines" hx-swap="outerHTML" {
                @if log.lines.is_empty() { p .empty { (words.log_empty) } }
                ol reversed { @for line in log.lines.iter().rev() {
                    li { (time(&line.time)) " " span .state data-state=(line.level) title=(line.pid) { (line.level) } " " (foreign(&line.text)) }
                } }
            }
        }
    }
}
