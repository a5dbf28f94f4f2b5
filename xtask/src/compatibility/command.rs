//! Reads the pages and the code, and prints the differences.

use super::{markdown, mcp, mgp};
use crate::{tree::Tree, workspace};

const HELP: &str = "usage: cargo xtask compatibility

Holds docs/mcp-compatibility.md and docs/mgp-compatibility.md against the code.

On both pages every method and notification that has a type has a row, every yes has what shows it, and every link leads to a test
that runs. On the page of MCP, every scenario of the conformance suite that is named is one of that side and era and counts, by
xtask/conformance/scenarios.txt. On the page of MGP, every section that demands something and every error code has a row, every row
says who keeps its rule, and whatever is shown partly or not at all has a reason.";

/// The findings about a page of a tree.
type Check = fn(&Tree) -> Vec<String>;

const PAGES: &[(&str, Check)] = &[(mcp::PATH, mcp::check), (mgp::PATH, mgp::check)];

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
    let mut broken = Vec::new();
    for (path, check) in PAGES {
        let findings = check(&tree);
        for finding in &findings {
            println!("{finding}");
        }
        let rows = tree.file(path).map_or(0, |file| markdown::rows(&file.text).len());
        println!("{path}: {rows} rows, {} findings", findings.len());
        if !findings.is_empty() {
            broken.push(format!("{} findings in {path}", findings.len()));
        }
    }
    if broken.is_empty() { Ok(()) } else { Err(broken.join(", ")) }
}
