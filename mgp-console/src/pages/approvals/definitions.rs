//! Changed definitions of tools.

use super::questions::{DefinitionQuestion, Difference};
use crate::{
    actions::ACCEPT,
    page::{Context, Nav, Part, Submit, element_id, foreign, foreign_block, sentence, time},
    texts::number,
};
use maud::{Markup, html};
use serde_json::Value;

/// The number of digits of a hash in the command, as other commands name them.
const DIGITS: usize = 16;
/// The most differences of a definition that are shown.
const DIFFERENCES: usize = 30;

/// Writes the definitions with their differences.
pub(super) fn definitions(context: &Context, questions: &[DefinitionQuestion]) -> Markup {
    let words = &context.texts.approvals;
    let part = Part::of(context, questions, "definitions");
    html! {
        section aria-labelledby="definitions" {
            h2 #definitions { (words.definitions) }
            p .quiet { (words.definitions_help) }
            @for (at, question) in part.rows.iter().enumerate() { (definition(context, question, at)) }
            (part.links(context, Nav::Approvals.path(), "definitions"))
        }
    }
}

fn definition(context: &Context, question: &DefinitionQuestion, at: usize) -> Markup {
    let words = &context.texts.approvals;
    let own = |name: &str| element_id(name, &at.to_string());
    let [heading, accept] = ["definition", "accept"].map(own);
    let hash: String = question.listed_sha256.chars().take(DIGITS).collect();
    html! {
        article .question aria-labelledby=(heading) {
            div .head { h3 id=(heading) { (foreign(&question.server_id)) " " (foreign(&question.tool_name)) } }
            p {
                @if question.breaking { span .state data-state="dangerous" { (words.breaking) } } @else { (words.not_breaking) }
                " · " @if question.held { (words.held) } @else { (words.not_held) }
                " · " (words.changed_at) " " (time(&question.listed_at))
                @if let Some(old) = &question.old_version { " · " (foreign(old)) }
                @if let Some(new) = &question.new_version { " → " (foreign(new)) }
            }
            @if !question.compared { p .cut { strong { (words.not_compared) } } }
            @for difference in question.differences.iter().take(DIFFERENCES) { (one(context, difference)) }
            @let left = question.left_out + question.differences.len().saturating_sub(DIFFERENCES) as u64;
            @if left > 0 { p .cut { strong { (sentence(&number(left, &words.differences_cut_one, &words.differences_cut_many))) } } }
            form {
                input type="hidden" name="server" value=(question.server_id);
                input type="hidden" name="tool" value=(question.tool_name);
                input type="hidden" name="hash" value=(hash);
                div .buttons {
                    (Submit::new(&ACCEPT, &words.accept).named_by(&accept, &heading).show(context))
                    span .quiet { (words.keep_refused) }
                }
            }
        }
    }
}

fn one(context: &Context, difference: &Difference) -> Markup {
    let words = &context.texts.approvals;
    html! {
        div .differs {
            p { span .state data-state=(risk(&difference.effect)) { (difference.effect.replace('_', " ")) } " " (foreign(&difference.path)) }
            div .both {
                div { p .quiet { (words.before) } (side(context, difference.old.as_ref())) }
                div { p .quiet { (words.after) } (side(context, difference.new.as_ref())) }
            }
        }
    }
}

fn side(context: &Context, value: Option<&Value>) -> Markup {
    match value {
        None => html! { p .quiet { (context.texts.approvals.nothing_there) } },
        Some(Value::String(text)) => foreign_block(text),
        Some(value) => foreign_block(&serde_json::to_string_pretty(value).unwrap_or_default()),
    }
}

fn risk(effect: &str) -> &'static str {
    match effect {
        "breaking" | "lower_risk" => "dangerous",
        "text" | "higher_risk" => "moderate",
        _ => "safe",
    }
}
