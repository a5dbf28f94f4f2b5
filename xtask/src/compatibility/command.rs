//! Reads the page and the code, and prints the differences.

use super::{check::check, page};
use crate::{tree::Tree, workspace};

const HELP: &str = "usage: cargo xtask compatibility

Holds docs/mcp-compatibility.md against the code: every method and notification of MCP that has a type has a row, every yes has what
shows it, every link leads to a test that runs, and every scenario of the conformance suite that is named is one of that side
and era and counts, by xtask/conformance/scenarios.txt.";

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    match arguments {
        [] => {}
        [help] if matches!(help.as_str(), "--help" | "-h") => {
            println!("{HELP}");
            return Ok(());
        }
        [other, ..] => return Err(format!("unexpected argument `{other}`: compatibility takes none")),
    }
    let tree = Tree::read(&workspace::root())?;
    let findings = check(&tree);
    for finding in &findings {
        println!("{finding}");
    }
    let rows = tree.file(page::PATH).map_or(0, |file| page::rows(&file.text).len());
    println!("{rows} rows, {} findings", findings.len());
    if findings.is_empty() { Ok(()) } else { Err(format!("{} findings in {}", findings.len(), page::PATH)) }
}
