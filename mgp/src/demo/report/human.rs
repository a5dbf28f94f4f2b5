//! The report as text: for each step a title, a few lines from the wire, and ok or FAILED; then the audit trail as a table.

use super::{PlayedStep, Report};
use crate::{demo::wire::Line, error::CliError, output};
use mgp_types::{audit::AuditEvent, json::RawJson};
use std::time::Instant;

/// A report that prints a few lines for each step.
#[derive(Debug)]
pub(super) struct TextReport {
    started: Instant,
    /// True if every line is printed in full.
    verbose: bool,
}

/// The longest line that is printed, in characters.
const WIDTH: usize = 116;
/// The maximum number of lines shown for a step.
const SHOWN: usize = 3;

impl TextReport {
    pub(super) fn new(verbose: bool) -> Self {
        Self { started: Instant::now(), verbose }
    }

    /// Returns the lines of a step that are shown.
    fn lines(&self, played: &PlayedStep) -> Vec<String> {
        if self.verbose {
            return played.lines.iter().map(Line::readable).collect();
        }
        let shown = played.shown.iter().take(SHOWN).filter_map(|part| {
            let line = played.lines.iter().find(|line| line.text.contains(part))?;
            Some(line.shortened(part, WIDTH))
        });
        shown.collect()
    }
}

impl Report for TextReport {
    fn step(&self, played: &PlayedStep) {
        let mut text = format!("{:>2}. {}: {}\n", played.number, played.name, played.title);
        for line in self.lines(played) {
            text.push_str(&format!("    {line}\n"));
        }
        for note in &played.notes {
            text.push_str(&format!("    note: {}\n", output::printable(note)));
        }
        for problem in &played.problems {
            text.push_str(&format!("    ! {}\n", output::printable(problem)));
        }
        text.push_str(if played.is_ok() { "    ok\n" } else { "    FAILED\n" });
        output::print(&text);
    }

    fn trail(&self, events: &[AuditEvent], problems: &[String]) {
        output::print(&format!("\nThe audit trail, as it is stored:\n{}", table(events)));
        for problem in problems {
            output::print(&format!("! {}", output::printable(problem)));
        }
        let (count, time) = (events.len(), self.started.elapsed());
        output::print(&format!("\n{count} events; the tour took {:.1} s", time.as_secs_f64()));
    }

    fn broken(&self, why: &str) {
        output::finish(false, &Err(CliError::failed(why)));
    }
}

fn table(events: &[AuditEvent]) -> String {
    output::table(["#", "time", "event", "result", "actor", "target", "details"], events.iter().map(row))
}

fn row(event: &AuditEvent) -> [String; 7] {
    let target = event.target.get();
    let names = target.map(|target| [target.server_id.get(), target.tool_name.get()]);
    let names = names.into_iter().flatten().flatten().map(String::as_str).collect::<Vec<_>>();
    [
        event.seq().map_or_else(String::new, |seq| seq.to_string()),
        event.timestamp.get(11..23).unwrap_or(&event.timestamp).to_owned(),
        event.event_type.as_str().to_owned(),
        event.result.to_string(),
        event.actor.id.clone(),
        names.join("/"),
        output::shortened(&details(event), 60),
    ]
}

/// Returns the most informative details of an event.
fn details(event: &AuditEvent) -> String {
    const TELLING: [&str; 4] = ["reason", "permission", "agent_id", "validator_applied"];
    let Some(details) = &event.details else { return String::new() };
    let text = |value: &RawJson| value.to_text().unwrap_or_else(|| value.to_string());
    let told = TELLING.iter().filter_map(|key| details.get(key).map(text));
    let mut told: Vec<_> = told.collect();
    if details.get("cancelled").is_some_and(|value| value.as_str() == "true") {
        told.push("cancelled".to_owned());
    }
    told.join(", ")
}
