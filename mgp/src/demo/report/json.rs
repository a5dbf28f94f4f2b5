//! The report as JSON: one object per line.

use super::{PlayedStep, Report};
use crate::{error::CliError, output};
use mgp_types::audit::AuditEvent;
use serde::Serialize;

/// A report of one object per step, followed by the events.
#[derive(Debug)]
pub(super) struct JsonReport;

#[derive(Serialize)]
struct Step<'a> {
    step: usize,
    name: &'a str,
    ok: bool,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    problems: &'a [String],
    wire: Vec<String>,
}

#[derive(Serialize)]
struct Audit<'a> {
    audit: &'a [AuditEvent],
}

fn print(object: &impl Serialize) {
    match serde_json::to_string(object) {
        Ok(text) => output::print_json(&text),
        Err(error) => output::say(&format!("failed to write a line: {error}")),
    }
}

impl Report for JsonReport {
    fn step(&self, played: &PlayedStep) {
        print(&Step {
            step: played.number,
            name: played.name,
            ok: played.is_ok(),
            notes: &played.notes,
            problems: &played.problems,
            wire: played.lines.iter().map(ToString::to_string).collect(),
        });
    }

    fn trail(&self, events: &[AuditEvent], problems: &[String]) {
        for problem in problems {
            output::say(problem);
        }
        print(&Audit { audit: events });
    }

    fn broken(&self, why: &str) {
        output::finish(true, &Err(CliError::failed(why)));
    }
}
