//! What there is to print, and who prints it.

use super::{human::Human, json::Json};
use crate::cli::demo::wire::Line;
use mgp_types::audit::AuditEvent;

/// A step that was played.
#[derive(Debug)]
pub(in crate::cli::demo) struct Played {
    /// From 1.
    pub(in crate::cli::demo) number: usize,
    /// For programs.
    pub(in crate::cli::demo) name: &'static str,
    /// For people.
    pub(in crate::cli::demo) title: &'static str,
    /// Parts of the lines that are worth showing to people.
    pub(in crate::cli::demo) shown: &'static [&'static str],
    /// What went over the wire.
    pub(in crate::cli::demo) lines: Vec<Line>,
    /// What is wrong.
    pub(in crate::cli::demo) problems: Vec<String>,
}

impl Played {
    /// Whether everything was as it must be.
    pub(in crate::cli::demo) fn is_ok(&self) -> bool {
        self.problems.is_empty()
    }
}

/// Prints the tour as it goes.
pub(in crate::cli::demo) trait Report: Sync {
    /// A step that was played.
    fn step(&self, played: &Played);
    /// All stored events, and what is wrong with those that no step is answerable for.
    fn trail(&self, events: &[AuditEvent], problems: &[String]);
    /// Why there is no tour.
    fn broken(&self, why: &str);
}

/// Prints for programs or for people.
pub(in crate::cli::demo) fn report(json: bool, verbose: bool) -> Box<dyn Report> {
    if json { Box::new(Json) } else { Box::new(Human::new(verbose)) }
}
