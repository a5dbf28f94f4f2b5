//! The findings of the doctor, each with what mends it.

use super::{
    DOCUMENTS,
    doctor_report::{DoctorReport, Finding},
};
use crate::{
    actions::{MEND, MEND_ALL},
    commands::CommandError,
    form::address,
    page::{Context, NamedButton, Nav, error_box, foreign, named_button, plain},
    texts::number,
};
use maud::{Markup, html};

/// The most findings that are shown.
const MOST: usize = 200;

/// Returns the findings. The doctor takes some seconds, so the page loads without them and asks for them then.
pub(super) async fn doctor(context: &Context) -> Markup {
    let words = &context.texts.doctor;
    let middle = if context.query.has("run") {
        match context.read(&["doctor"]).await {
            Ok(report) => written(context, &report),
            Err(error) => error_box(context, &error),
        }
    } else {
        let run = address(Nav::Settings.path(), &[("view", "doctor"), ("run", "1")]);
        html! {
            div hx-get=(run) hx-trigger="load" hx-select="#findings" hx-target="#findings" hx-swap="outerHTML" {
                p role="status" { (words.looking) }
            }
        }
    };
    html! {
        section aria-labelledby="doctor" {
            h2 #doctor { (words.title) }
            p .quiet { (words.help) }
            div #findings { (middle) }
        }
    }
}

/// Shows the findings after the doctor mended some.
pub(crate) fn doctor_answer(context: &Context, json: &str) -> Markup {
    match serde_json::from_str(json) {
        Ok(report) => written(context, &report),
        Err(error) => error_box(context, &CommandError::unreadable("doctor", &error)),
    }
}

fn written(context: &Context, report: &DoctorReport) -> Markup {
    let words = &context.texts.doctor;
    let fixable = report.findings.iter().filter(|finding| finding.fixable && !finding.fixed).count() as u64;
    let all = number(fixable, &words.mend_one, &words.mend_many);
    let button =
        NamedButton { label: &all, of: "", confirm: Some(&words.mend_confirm), target: Some("#findings") };
    html! {
        @if report.findings.is_empty() { p .empty { (words.healthy) } }
        @else {
            div .title {
                p { (number(report.findings.len() as u64, &words.one, &words.many)) }
                @if fixable > 0 { (named_button(context, &MEND_ALL, button, &[])) }
            }
            ul .findings { @for finding in report.findings.iter().take(MOST) { li { (shown(context, finding)) } } }
            @if report.findings.len() > MOST { p .quiet { (words.more.replace("{n}", &(report.findings.len() - MOST).to_string())) } }
        }
        (places(context, report))
    }
}

fn shown(context: &Context, finding: &Finding) -> Markup {
    let words = &context.texts.doctor;
    let (name, colour) = match finding.severity.as_str() {
        _ if finding.fixed => (&words.mended, "SUCCESS"),
        "error" => (&words.error, "error"),
        "warning" => (&words.warning, "BLOCKED"),
        _ => (&words.note, "note"),
    };
    let button = NamedButton {
        label: &words.mend,
        of: &format!("{}: {}", finding.subject, finding.id),
        confirm: None,
        target: Some("#findings"),
    };
    html! {
        p { span .state data-state=(colour) { (name) } " " (foreign(&finding.subject)) " " (foreign(&finding.problem)) }
        @if !finding.fixed {
            @if let Some(command) = &finding.command { p { (words.run) " " (foreign(command)) } }
            @if let Some(key) = &finding.key { p { (words.set) " " (foreign(key)) " "
                a href=(address(Nav::Settings.path(), &[("key", last_part(key))])) { (words.to_configuration) } } }
        }
        div .choices {
            @if finding.fixable && !finding.fixed {
                (named_button(context, &MEND, button, &[("subject", &finding.subject)]))
            }
            @if finding.docs.starts_with("docs/") {
                a href=(format!("{DOCUMENTS}{}", finding.docs)) rel="noreferrer" target="_blank" aria-label=(format!("{} {}", words.more_about, plain(&finding.id))) { (words.more_about) " " code { (plain(&finding.id)) } }
            }
        }
    }
}

/// Returns the last part of a key's path, for the search of keys.
fn last_part(key: &str) -> &str {
    let path = key.split(['=', ' ']).next().unwrap_or_default();
    path.rsplit('.').next().unwrap_or_default()
}

/// Returns the files that the doctor looked at, and the means of confinement.
fn places(context: &Context, report: &DoctorReport) -> Markup {
    let words = &context.texts.doctor;
    html! {
        details {
            summary { (words.places) }
            dl {
                dt { (words.program) } dd { (foreign(&report.program)) " " (foreign(&report.version)) }
                @if let Some(path) = &report.configuration { dt { (words.configuration) } dd { (foreign(path)) } }
                @if let Some(path) = &report.state { dt { (words.state) } dd { (foreign(path)) } }
                @for runner in &report.confinement {
                    dt { (words.confinement) " " (foreign(&runner.runner)) }
                    dd { @match &runner.missing { Some(missing) => (foreign(missing)), None => (words.available) } }
                }
            }
        }
    }
}
