//! The answers to a check, to a change of the file, and to a reload.

use super::{
    configuration_report::{CheckReport, GatewayReload, ReloadReport, SaveReport},
    editor::{expected_hash, problems},
    loosening::loosened,
};
use crate::{
    actions::SAVE_SETTINGS,
    commands::CommandError,
    page::{Context, error_box, foreign, sentence},
};
use maud::{Markup, html};
use mgp_types::{lifecycle::ConfigurationChange, printable::on_one_line};

/// The most lines of a difference that are shown.
const MOST_LINES: usize = 1000;

/// Shows the problems of a text; without any, its difference to the file, the changes of a reload, and the button that saves it.
pub(crate) fn checked_answer(context: &Context, json: &str) -> Markup {
    let words = &context.texts.settings;
    let report: CheckReport = match serde_json::from_str(json) {
        Ok(report) => report,
        Err(error) => return error_box(context, &CommandError::unreadable("config check", &error)),
    };
    if !report.problems.is_empty() {
        return problems(context, &report.problems);
    }
    if report.difference.is_empty() {
        return html! { p .empty { (words.same) } };
    }
    let loosened = loosened(words, &report.difference);
    let question =
        (!loosened.is_empty()).then(|| format!("{} {}", loosened.join(" "), words.loosens_question));
    html! {
        section .question {
            h3 #difference { (words.difference) }
            (difference(context, &report.difference))
            h3 { (words.effect) }
            @match &report.change {
                Some(found) => (change(context, found)),
                None => p .quiet { (words.effect_unknown) },
            }
            @for sentence in &loosened { p .loosens { (sentence) } }
            // A change of the text removes this answer, and the command refuses a text with another hash.
            form method="post" hx-post=(SAVE_SETTINGS.path()) hx-include="#settings-form" hx-target="#check" hx-swap="innerHTML"
                hx-disabled-elt="find button" hx-confirm=[question] {
                input type="hidden" name="checked" value=(report.sha256);
                div .buttons { button type="submit" { (words.save) } }
            }
        }
    }
}

/// Shows the changes that a new file caused.
pub(crate) fn saved_answer(context: &Context, json: &str) -> Markup {
    let words = &context.texts.settings;
    match serde_json::from_str::<SaveReport>(json) {
        Ok(report) => html! {
            section .question {
                h3 { (words.saved) }
                p { (foreign(&report.path)) }
                (reloads(context, &report.kernels))
            }
            (expected_hash(&report.sha256, true))
        },
        Err(error) => error_box(context, &CommandError::unreadable("config write", &error)),
    }
}

/// Shows the changes that a reload caused.
pub(crate) fn reloaded_answer(context: &Context, json: &str) -> Markup {
    match serde_json::from_str::<ReloadReport>(json) {
        Ok(report) => html! {
            section .question { h3 { (context.texts.settings.reloaded) } (reloads(context, &report.kernels)) }
        },
        Err(error) => error_box(context, &CommandError::unreadable("reload", &error)),
    }
}

fn reloads(context: &Context, gateways: &[GatewayReload]) -> Markup {
    html! {
        @for gateway in gateways {
            @if gateways.len() > 1 { p .quiet { (context.texts.settings.gateway) " " (gateway.pid) } }
            (change(context, &gateway.change))
        }
    }
}

fn change(context: &Context, change: &ConfigurationChange) -> Markup {
    let words = &context.texts.settings;
    let rows = [
        (&words.added, &change.added),
        (&words.removed, &change.removed),
        (&words.restarted, &change.restarted),
        (&words.applied, &change.applied),
        (&words.needs_restart, &change.needs_restart),
    ];
    html! {
        @if change.is_empty() { p { (words.no_change) } }
        @else { dl { @for (label, names) in rows { @if !names.is_empty() {
            dt { (label) } dd { @for name in names { (foreign(name)) " " } }
        } } } }
        @if !change.needs_restart.is_empty() { p { (sentence(&words.restart_how)) } }
    }
}

fn difference(context: &Context, lines: &[String]) -> Markup {
    html! {
        div .difference .scroll tabindex="0" role="region" aria-labelledby="difference" {
            @for line in lines.iter().take(MOST_LINES) { (difference_line(line)) }
        }
        @if lines.len() > MOST_LINES {
            p .quiet { (context.texts.settings.more_lines.replace("{n}", &(lines.len() - MOST_LINES).to_string())) }
        }
    }
}

/// Returns a line with its kind as an element, which a screen reader announces.
fn difference_line(line: &str) -> Markup {
    let (kind, rest) = line.split_at_checked(1).unwrap_or_default();
    // The indentation stays, so that the line can be compared.
    let indent = rest.len() - rest.trim_start().len();
    let text = format!("{}{}", " ".repeat(indent), on_one_line(rest));
    html! {
        @match kind {
            "+" => ins { "+" (text) },
            "-" => del { "-" (text) },
            " " => span { " " (text) },
            _ => span { (on_one_line(line)) },
        }
    }
}
