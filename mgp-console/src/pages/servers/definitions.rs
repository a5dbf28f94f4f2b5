//! The changed definitions of a server's tools, side by side.

use super::{
    definition_report::{ChangedDefinition, DefinitionDifference, DefinitionReport},
    marked::side_by_side,
};
use crate::{
    actions::ACCEPT,
    commands::CommandError,
    page::{Context, NamedButton, foreign, named_button, plain, time},
};
use maud::{Markup, html};
use serde_json::Value;

/// The number of digits of a hash that name a definition.
const HASH_DIGITS: usize = 16;
/// The most tools that are shown.
const MOST: usize = 50;

/// Returns the changed definitions of a server.
pub(super) async fn definitions(context: &Context, id: &str) -> Result<Markup, CommandError> {
    let report: DefinitionReport = match context.read(&["tools", "diff", "--", id]).await {
        // No gateway has pinned a definition of the server yet.
        Err(error) if &*error.kind == "not_found" => DefinitionReport::default(),
        answer => answer?,
    };
    let words = &context.texts.server;
    Ok(html! {
        section {
            h2 #definitions { (words.definitions) }
            p .quiet { (words.definitions_help) }
            @for unreadable in &report.unreadable {
                p .notice { (foreign(&unreadable.tool_name)) " " (foreign(&unreadable.problem)) }
            }
            @if report.definitions.is_empty() { p .empty { (words.unchanged) } }
            @for changed in report.definitions.iter().take(MOST) { (definition(context, changed)) }
            @if report.definitions.len() > MOST {
                p .quiet { (words.more_definitions.replace("{n}", &(report.definitions.len() - MOST).to_string())) }
            }
        }
    })
}

fn definition(context: &Context, changed: &ChangedDefinition) -> Markup {
    let words = &context.texts.server;
    let digits: String = changed.listed_sha256.chars().take(HASH_DIGITS).collect();
    let fields =
        [("server", changed.server_id.as_str()), ("tool", changed.tool_name.as_str()), ("hash", &digits)];
    let button = NamedButton { label: &words.accept, of: &changed.tool_name, confirm: None, target: None };
    html! {
        article .question {
            h3 { (foreign(&changed.tool_name)) }
            p {
                @if changed.breaking { span .state data-state="error" { (words.breaking) } } @else { span .state { (words.compatible) } }
                " " @if changed.held { (words.held) } " " (words.listed_at) " " (time(&changed.listed_at))
            }
            @if changed.old_version.is_some() || changed.new_version.is_some() {
                p .quiet { (words.version) " "
                    (foreign(changed.old_version.as_deref().unwrap_or("–"))) " → " (foreign(changed.new_version.as_deref().unwrap_or("–"))) }
            }
            @if !changed.compared { p .notice { (words.not_compared) } }
            @if !changed.differences.is_empty() { (table(context, changed)) }
            @if changed.left_out > 0 { p .quiet { (words.left_out.replace("{n}", &changed.left_out.to_string())) } }
            div .buttons { (named_button(context, &ACCEPT, button, &fields)) }
            p .quiet { (words.keep) }
        }
    }
}

fn table(context: &Context, changed: &ChangedDefinition) -> Markup {
    let words = &context.texts.server;
    html! {
        div .scroll tabindex="0" role="region" aria-label=(format!("{} {}", words.definitions, plain(&changed.tool_name))) { table .sides {
            thead { tr { th scope="col" { (words.part) } th scope="col" { (words.accepted) } th scope="col" { (words.listed) } } }
            tbody { @for difference in &changed.differences { (row(difference)) } }
        } }
    }
}

fn row(difference: &DefinitionDifference) -> Markup {
    let DefinitionDifference { path, effect, old, new } = difference;
    let (old, new) = (old.as_ref().map(text), new.as_ref().map(text));
    let [before, after] = side_by_side(old.as_deref(), new.as_deref());
    html! {
        tr {
            th scope="row" { (foreign(path)) br; span .state data-state=(effect) { (effect.replace('_', " ")) } }
            td { (before) } td { (after) }
        }
    }
}

/// Returns a text as it is, and any other value as JSON.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => serde_json::to_string_pretty(value).unwrap_or_default(),
    }
}
