//! The answers to the forms.

use super::{
    program::space_notice,
    report::{AddReport, RegisteredServer, TriedServer},
    started::follow,
};
use crate::{
    actions::{ADD_SERVER, REGISTER_SERVER},
    commands::CommandError,
    form::link,
    page::{Action, Context, Nav, error_box, foreign, foreign_whole},
    pages::servers::runs::command_facts,
    texts::number,
};
use maud::{Markup, html};
use serde::de::DeserializeOwned;

/// The most tools that are listed.
const MOST: usize = 100;

/// Shows a server that `mgp add --dry-run` described, with the button that adds it.
pub(crate) fn preview_answer(context: &Context, json: &str) -> Markup {
    let words = &context.texts.add_server;
    read(context, json, |report: AddReport| {
        html! {
            article .question {
                h2 { (foreign(&report.id)) }
                p { (foreign(&report.title)) }
                (plan(context, &report))
                @if report.needs.is_empty() {
                    p .quiet { (words.try_help) }
                    (shown_form_button(&ADD_SERVER, &words.add))
                } @else { p .notice { (words.needs_help) } }
            }
        }
    })
}

/// Shows the server that `mgp add --yes` tried and wrote.
pub(crate) fn added_answer(context: &Context, json: &str) -> Markup {
    let words = &context.texts.add_server;
    read(context, json, |report: AddReport| {
        html! {
            article .question {
                h2 { (foreign(&report.id)) }
                p { strong { @if report.written { (words.added) } @else { (words.not_added) } } }
                (plan(context, &report))
                @if let Some(tried) = &report.tried { (tools(context, tried)) }
                p { a href=(link(Nav::Servers.path(), "id", &report.id)) { (words.open) } }
            }
        }
    })
}

/// Shows a server that `mgp servers add --dry-run` described, with the button that registers it.
pub(crate) fn planned_answer(context: &Context, json: &str) -> Markup {
    let words = &context.texts.add_server;
    read(context, json, |server: RegisteredServer| {
        html! {
            article .question {
                h2 { (foreign(&server.id)) }
                dl {
                    (command(context, &server.runs))
                    @if !server.variables.is_empty() { dt { (words.variables) } dd { (foreign(&server.variables.join(", "))) } }
                    @if !server.waits_for.is_empty() { dt { (words.waits_for) } dd { (foreign(&server.waits_for.join(", "))) } }
                }
                @for remark in &server.remarks { p .notice { (foreign_whole(remark)) } }
                (space_notice(context, context.query.one("command").unwrap_or_default()))
                (shown_form_button(&REGISTER_SERVER, &words.register))
            }
        }
    })
}

/// Returns a button that sends the form above an answer once more. A change of the form removes the answer, so the shown server is the added
/// one.
fn shown_form_button(action: &Action, label: &str) -> Markup {
    html! {
        div .buttons {
            button type="button" hx-post=(action.path()) hx-include="previous form" hx-target="closest [role=status]"
                hx-swap="innerHTML show:bottom" hx-disabled-elt="this" { (label) }
        }
    }
}

/// Shows a server that `mgp servers add` registered.
pub(crate) fn registered_answer(context: &Context, json: &str) -> Markup {
    let words = &context.texts.add_server;
    read(context, json, |server: RegisteredServer| {
        html! {
            article .question {
                h2 { (foreign(&server.id)) }
                p { strong { (words.registered) } " " (foreign(&server.trust_level)) }
                @if !server.waits_for.is_empty() {
                    p .notice { (words.waits_for) " " (foreign(&server.waits_for.join(", "))) " "
                        a href=(Nav::Approvals.path()) { (context.texts.server.decide) } }
                }
                (follow(context, &server.id))
                p { a href=(link(Nav::Servers.path(), "id", &server.id)) { (words.open) } }
            }
        }
    })
}

/// Returns the program and the arguments of the form, if they are what the command shows as one line.
fn command(context: &Context, runs: &str) -> Markup {
    let form = &context.query;
    let command: Vec<_> = form.one("command").into_iter().chain(form.lines("args")).collect();
    if command.join(" ") == runs {
        let command: Vec<_> = command.into_iter().map(str::to_owned).collect();
        return command_facts(context, &command);
    }
    html! { dt { (context.texts.add_server.runs) } dd { (foreign(runs)) } }
}

fn plan(context: &Context, report: &AddReport) -> Markup {
    let words = &context.texts.add_server;
    html! {
        dl {
            dt { (words.runs) } dd { (foreign(&report.runs)) }
            dt { (words.file) } dd { (foreign(&report.file)) }
            @for need in &report.needs { dt { (words.needs) } dd { (foreign(need)) } }
            @for remark in &report.remarks { dt { (words.remark) } dd { (foreign(remark)) } }
        }
    }
}

fn tools(context: &Context, tried: &TriedServer) -> Markup {
    let words = &context.texts.add_server;
    html! {
        p { @if tried.tools.is_empty() { (words.offers_none) }
            @else { (number(tried.tools.len() as u64, &words.offers_one, &words.offers_many)) } }
        @if !tried.permissions.is_empty() { p .notice { (words.waits_for) " " (foreign(&tried.permissions.join(", "))) } }
        @if !tried.tools.is_empty() {
            div .scroll tabindex="0" role="region" aria-label=(words.tools) { table {
                thead { tr { th scope="col" { (words.tool) } th scope="col" { (words.risk) } th scope="col" { (words.description) } } }
                tbody { @for tool in tried.tools.iter().take(MOST) { tr {
                    th scope="row" { (foreign(&tool.name)) }
                    td { span .state data-state=(tool.risk) { (tool.risk) } }
                    td .wide { (foreign(&tool.description)) }
                } } }
            } }
        }
    }
}

/// Reads the output of a command, and shows it.
fn read<T: DeserializeOwned>(context: &Context, json: &str, show: impl FnOnce(T) -> Markup) -> Markup {
    match serde_json::from_str(json) {
        Ok(report) => show(report),
        Err(error) => error_box(context, &CommandError::unreadable("add", &error)),
    }
}
