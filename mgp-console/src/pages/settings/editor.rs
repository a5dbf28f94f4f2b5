//! The editor of a file: its text with the numbers of its lines.

use super::configuration_report::ConfigurationFile;
use crate::{
    actions::CHECK_SETTINGS,
    commands::PlacedProblem,
    page::{Context, foreign},
    texts::number,
};
use maud::{Markup, html};

/// The most numbers of lines, and the numbers after the last line, for lines that are added.
const MOST_LINES: usize = 5000;
const LINES_TO_COME: usize = 200;
/// The most problems that are shown.
const MOST_PROBLEMS: usize = 100;

/// Returns the editor. The text is checked before it can be saved.
pub(super) fn editor(context: &Context, file: &ConfigurationFile) -> Markup {
    let words = &context.texts.settings;
    let unwritable = || words.not_writable.clone();
    let refusal = if file.writable { context.refusal(CHECK_SETTINGS.role) } else { Some(unwritable()) };
    let lines = file.text.lines().count();
    let marked: Vec<_> = file.problems.iter().map(|problem| problem.line).collect();
    html! {
        form #settings-form method="post" hx-post=(CHECK_SETTINGS.path()) hx-target="#check" hx-swap="innerHTML" hx-disabled-elt="find button"
            data-clears="check" autocomplete="off" {
            input type="hidden" name="file" value=(file.name);
            (expected_hash(&file.sha256, false))
            label for="settings-text" { (words.text) }
            div .editor {
                pre .numbers aria-hidden="true" { @for line in 1..=(lines + LINES_TO_COME).min(MOST_LINES) {
                    span id=(format!("L{line}")) .wrong[marked.contains(&line)] { (line) } "\n"
                } }
                // The first line feed is not part of the text.
                textarea #settings-text name="text" rows=(lines + 2) wrap="off" spellcheck="false" autocapitalize="off" readonly[refusal.is_some()] { "\n" (file.text) }
            }
            div .buttons {
                button type="submit" disabled[refusal.is_some()] title=[&refusal] { (words.check) }
                span .quiet { (refusal.as_ref().unwrap_or(&words.order)) }
            }
        }
        // The problems of the file, until the text is changed or checked.
        div #check role="status" { (problems(context, &file.problems)) }
    }
}

/// Returns the hash that the file must still have when it is replaced. An answer replaces it by a new one.
pub(super) fn expected_hash(sha256: &str, replaces: bool) -> Markup {
    html! {
        input #settings-sha256 type="hidden" name="sha256" value=(sha256) hx-swap-oob=[replaces.then_some("true")];
    }
}

/// Returns the problems of a text, each with a link to its line.
pub(super) fn problems(context: &Context, problems: &[PlacedProblem]) -> Markup {
    let words = &context.texts.settings;
    html! {
        @if !problems.is_empty() {
            section .error role="alert" {
                h3 { (number(problems.len() as u64, &words.problem_one, &words.problem_many)) }
                ul { @for problem in problems.iter().take(MOST_PROBLEMS) { li {
                    a href=(format!("#L{}", problem.line)) data-line=(problem.line) data-column=(problem.column) {
                        (words.line.replace("{n}", &format!("{}:{}", problem.line, problem.column)))
                    } " " (foreign(&problem.message))
                    @if let Some(help) = &problem.help { " " span .quiet { (foreign(help)) } }
                } } }
            }
        }
    }
}
