//! Runs the rules and prints the violations.

use super::modules::Crate;
use super::table::{CRATES, NAMING_METHODS, OWNED, ROOMS, SECTIONS, TREES, WEIGHTS, WORDS};
use super::{cycles, dependencies, graph::Graph, methods::methods, rooms, sources, weights};
use crate::{tree::Tree, workspace};

const HELP: &str = "usage: cargo xtask layers

Checks who depends on whom, what stands in a crate's whole tree of dependencies, which source files may name
what, which modules import each other, and which rooms of the kernel import which. The rules stand in
xtask/src/layers/table.rs.";

/// A rule, or rules of one kind.
struct Group {
    title: String,
    /// The lines that are printed in any case.
    notes: Vec<String>,
    findings: Vec<String>,
}

impl Group {
    fn new(title: String, findings: Vec<String>) -> Self {
        Self { title, notes: Vec::new(), findings }
    }
}

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    match arguments.first().map(String::as_str) {
        None => {}
        Some("--help" | "-h") => {
            println!("{HELP}");
            return Ok(());
        }
        Some(other) => return Err(format!("unexpected argument `{other}`: layers takes only --help")),
    }
    let tree = Tree::read(&workspace::root())?;
    let crates = Crate::all(&tree);
    let mut findings = 0;
    for group in groups(&tree, &crates)? {
        println!("{} {}", if group.findings.is_empty() { "ok    " } else { "FAILED" }, group.title);
        for line in group.notes.iter().chain(&group.findings) {
            println!("         {line}");
        }
        findings += group.findings.len();
    }
    if findings == 0 { Ok(()) } else { Err(format!("layers has {findings} findings")) }
}

fn groups(tree: &Tree, crates: &[Crate]) -> Result<Vec<Group>, String> {
    let graph = Graph::of(&workspace::metadata()?)?;
    let cycles = cycles::check(crates);
    Ok(vec![
        Group::new(
            format!("{} crates depend only on what their row allows", CRATES.len()),
            dependencies::members(&graph, CRATES),
        ),
        Group::new(
            format!("{} trees hold nothing forbidden", TREES.len()),
            dependencies::trees(&graph, TREES),
        ),
        Group::new(
            format!("{} crates cost their users no more than they may", WEIGHTS.len()),
            weights::check(WEIGHTS)?,
        ),
        Group::new(
            format!("{} outside crates stay with their owners", OWNED.len()),
            dependencies::owners(&graph, OWNED),
        ),
        Group::new(format!("{} rules on what sources name", WORDS.len()), sources::words(tree, WORDS)),
        Group::new(
            format!("{} sections define their own methods", SECTIONS.len()),
            methods(tree, SECTIONS, NAMING_METHODS),
        ),
        Group {
            title: format!("{} folders have no ring of more than three modules", cycles.lines.len()),
            notes: cycles.lines,
            findings: cycles.findings,
        },
        Group::new(
            format!("{} rooms of the kernel import only rooms below them", ROOMS.len()),
            rooms::check(crates, ROOMS),
        ),
    ])
}
