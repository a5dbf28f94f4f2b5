//! Reads the page and the code, and prints what differs.

use super::{check::check, page, scenarios};
use crate::{tree::Tree, workspace};

const HELP: &str = "usage: cargo xtask compatibility

Holds docs/mcp-compatibility.md against the code: every method and notification of MCP that has a type has a row, every yes has what
shows it, every file and every scenario of the conformance suite that is named is there.";

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    match arguments {
        [] => {}
        [help] if matches!(help.as_str(), "--help" | "-h") => {
            println!("{HELP}");
            return Ok(());
        }
        [other, ..] => return Err(format!("unexpected argument `{other}`: compatibility takes none")),
    }
    let root = workspace::root();
    let (tree, list) = (Tree::read(&root)?, scenarios::read(&root));
    if list.is_none() {
        if std::env::var("CI").is_ok_and(|value| value == "true") {
            return Err("../shared/conformance is not here: CI needs it".into());
        }
        println!("skipped: the suite's scenarios, because ../shared/conformance is not here");
    }
    let findings = check(&tree, list.as_deref());
    for finding in &findings {
        println!("{finding}");
    }
    let rows = tree.file(page::PATH).map_or(0, |file| page::rows(&file.text).len());
    println!("{rows} rows, {} findings", findings.len());
    if findings.is_empty() { Ok(()) } else { Err(format!("{} findings in {}", findings.len(), page::PATH)) }
}
