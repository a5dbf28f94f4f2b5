//! The calls that a pattern covers, among the latest ones.

use crate::{
    page::{Context, foreign, foreign_block, time},
    texts::number,
};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The answer of `mgp approve ID --like PATTERN --preview`.
#[derive(Debug, Deserialize)]
struct Preview {
    /// The number of the agent's latest calls of the tool that were compared.
    looked_at: u64,
    /// The number of those that the pattern covers.
    covered: u64,
    /// The number of those whose arguments are not kept.
    #[serde(default)]
    unknown: u64,
    /// The latest covered calls.
    #[serde(default)]
    calls: Vec<CoveredCall>,
    /// The latest calls that are not covered.
    #[serde(default)]
    others: Vec<CoveredCall>,
}

/// A call that the pattern was compared with.
#[derive(Debug, Deserialize)]
struct CoveredCall {
    at: String,
    arguments: Box<RawValue>,
}

/// The most calls that are shown.
const CALLS: usize = 20;

/// Shows the answer of the command.
pub(crate) fn pattern_preview(context: &Context, json: &str) -> Markup {
    let words = &context.texts.approvals;
    let Ok(preview) = serde_json::from_str::<Preview>(json) else {
        return html! { p role="alert" { (words.no_preview) } };
    };
    html! {
        // The command refuses a pattern that does not cover the call itself.
        p { strong { (covered(context, &preview)) }
            @if preview.unknown > 0 { " " (number(preview.unknown, &words.unknown_one, &words.unknown_many)) } }
        (listed(&words.covered_calls, &preview.calls))
        (listed(&words.other_calls, &preview.others))
    }
}

/// Says how many calls the pattern covers besides the call itself.
fn covered(context: &Context, preview: &Preview) -> String {
    let words = &context.texts.approvals;
    let sentence = if preview.looked_at == 0 { &words.covered_only } else { &words.covered };
    sentence.replace("{n}", &preview.covered.to_string()).replace("{total}", &preview.looked_at.to_string())
}

fn listed(title: &str, calls: &[CoveredCall]) -> Markup {
    html! {
        @if !calls.is_empty() {
            details open { summary { (title) }
                ul .plain { @for call in calls.iter().take(CALLS) { li { (time(&call.at)) (arguments(&call.arguments)) } } }
            }
        }
    }
}

fn arguments(json: &RawValue) -> Markup {
    match json.get() {
        short if short.len() <= 120 => html! { " " (foreign(short)) },
        long => foreign_block(long),
    }
}
