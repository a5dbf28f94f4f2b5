//! Runs the rules and prints the violations.

use super::table::{CRATES, NAMING_METHODS, OWNED, SECTIONS, TREES, WEIGHTS, WORDS};
use super::{dependencies, graph::Graph, methods::methods, sources, weights};
use crate::{tree::Tree, workspace};

const HELP: &str = "usage: cargo xtask layers

Checks who depends on whom, what stands in a crate's whole tree of dependencies, and which source files may name
what. The rules stand in xtask/src/layers/table.rs.";

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    if let Some(argument) = arguments.first() {
        if !matches!(argument.as_str(), "--help" | "-h") {
            return Err(format!("unexpected argument `{argument}`: layers takes none but --help"));
        }
        println!("{HELP}");
        return Ok(());
    }
    let graph = Graph::of(&workspace::metadata()?)?;
    let tree = Tree::read(&workspace::root())?;
    let groups = [
        (
            format!("{} crates depend only on what their row allows", CRATES.len()),
            dependencies::members(&graph, CRATES),
        ),
        (format!("{} trees hold nothing forbidden", TREES.len()), dependencies::trees(&graph, TREES)),
        (
            format!("{} crates cost their users no more than they may", WEIGHTS.len()),
            weights::check(WEIGHTS)?,
        ),
        (
            format!("{} outside crates stay with their owners", OWNED.len()),
            dependencies::owners(&graph, OWNED),
        ),
        (format!("{} rules on what sources name", WORDS.len()), sources::words(&tree, WORDS)),
        (
            format!("{} sections bring their methods with them", SECTIONS.len()),
            methods(&tree, SECTIONS, NAMING_METHODS),
        ),
    ];
    let mut findings = 0;
    for (what, found) in &groups {
        println!("{} {what}", if found.is_empty() { "ok    " } else { "FAILED" });
        for finding in found {
            println!("         {finding}");
        }
        findings += found.len();
    }
    if findings == 0 { Ok(()) } else { Err(format!("layers has {findings} findings")) }
}
