//! A finished step, and the trait of reports.

use super::{human::TextReport, json::JsonReport};
use crate::demo::wire::Line;
use mgp_types::audit::AuditEvent;

/// A finished step.
#[derive(Debug)]
pub(in crate::demo) struct PlayedStep {
    /// The step's number, from 1.
    pub(in crate::demo) number: usize,
    /// The step's name, for programs.
    pub(in crate::demo) name: &'static str,
    /// The step's title, for people.
    pub(in crate::demo) title: &'static str,
    /// Parts of the lines that are worth showing in text.
    pub(in crate::demo) shown: &'static [&'static str],
    /// The lines that went over the wire.
    pub(in crate::demo) lines: Vec<Line>,
    /// The notes on limitations of this machine.
    pub(in crate::demo) notes: Vec<String>,
    /// The problems that were found.
    pub(in crate::demo) problems: Vec<String>,
}

impl PlayedStep {
    /// Returns `true` if the step found no problem.
    pub(in crate::demo) fn is_ok(&self) -> bool {
        self.problems.is_empty()
    }
}

/// A report that prints the tour step by step.
pub(in crate::demo) trait Report: Sync {
    /// Prints a finished step.
    fn step(&self, played: &PlayedStep);
    /// Prints all stored events, and the problems with those that belong to no step.
    fn trail(&self, events: &[AuditEvent], problems: &[String]);
    /// Prints the reason why the tour did not start.
    fn broken(&self, why: &str);
}

/// Returns the report for programs if `json` is true, and the one for people otherwise.
pub(in crate::demo) fn report(json: bool, verbose: bool) -> Box<dyn Report> {
    if json { Box::new(JsonReport) } else { Box::new(TextReport::new(verbose)) }
}
