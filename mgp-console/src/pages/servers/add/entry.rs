//! An entry of the registry, with a form for each way to run or reach its server.

use super::{
    package_form::{choices, preview_button},
    report::{EntryReport, Need, WayReport},
};
use crate::{
    actions::PREVIEW_SERVER,
    commands::CommandError,
    form::link,
    page::{Context, Nav, foreign, foreign_block},
};
use maud::{Markup, html};

/// Writes the entry with a name.
pub(super) async fn entry(context: &Context, name: &str) -> Result<Markup, CommandError> {
    let entry: EntryReport = context.read(&["registry", "show", "--", name]).await?;
    let words = &context.texts.add_server;
    Ok(html! {
        p .back { a href=(link(Nav::Servers.path(), "view", "add")) { (words.title) } }
        h1 { (foreign(&entry.name)) @if let Some(version) = &entry.version { " " (foreign(version)) } }
        @if let Some(description) = &entry.description { p { (foreign(description)) } }
        @if entry.status == "deprecated" { p .notice { (words.is_deprecated) } }
        p .notice { (words.anybody) }
        @if entry.ways.is_empty() { p .empty { (words.no_way) } }
        @for (number, way) in (1_u32..).zip(&entry.ways) { (way_form(context, &entry.name, number, way)) }
    })
}

fn way_form(context: &Context, name: &str, number: u32, way: &WayReport) -> Markup {
    let words = &context.texts.add_server;
    let (form, preview) = (format!("way-{number}"), format!("preview-{number}"));
    html! {
        section .card aria-labelledby=(format!("title-{number}")) {
            h2 id=(format!("title-{number}")) { (foreign(&way.title)) }
            @if let Some(reason) = &way.reason { p .notice { (words.unusable) " " (foreign(reason)) } }
            @if let Some(toml) = &way.toml {
                form .stacked id=(form) method="post" data-clears=(preview) autocomplete="off" {
                    input type="hidden" name="kind" value="registry";
                    input type="hidden" name="name" value=(name);
                    input type="hidden" name="way" value=(number);
                    @for need in &way.needs { (field(context, number, need)) }
                    (choices(context, &form))
                    (preview_button(context, &PREVIEW_SERVER, &preview))
                }
                details { summary { (words.toml) } (foreign_block(toml)) }
                div id=(preview) role="status" {}
            }
        }
    }
}

/// Returns the field of a value that the server asks for.
fn field(context: &Context, number: u32, need: &Need) -> Markup {
    let words = &context.texts.add_server;
    let id = format!("set-{number}-{}", need.name());
    html! {
        label for=(id) {
            (foreign(need.name())) " "
            @if need.required { (words.required) } @else { (words.optional) }
            @if !need.what.is_empty() { " " (foreign(&need.what)) }
        }
        input id=(id) name=(format!("set.{}", need.name())) type=(if need.secret { "password" } else { "text" })
            autocomplete="off" required[need.required];
    }
}
