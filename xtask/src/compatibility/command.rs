//! Reads the pages and the code, and prints the differences.

use super::{markdown, mcp, mgp, seeds};
use crate::{tree::Tree, workspace};

const HELP: &str = "usage: cargo xtask compatibility

Holds the three pages of docs/compatibility against the code.

On the pages of MCP and MGP, every method and notification that has a type has a row, every yes has its evidence, and every link leads
to a test that runs. On the page of MCP, every scenario of the conformance suite that is named is one of that side and era and counts, by
xtask/conformance/scenarios.txt. On the page of MGP, every section with requirements and every error code has a row, every row names the
parts that keep its rule, and each partly and no has a reason. On the page of the four documents, every section with requests has a row;
the sections are compared with the documents if these are in ../shared/spec next to the workspace.";

/// The findings about a page of a tree.
type Check = fn(&Tree) -> Vec<String>;

const PAGES: &[(&str, Check)] =
    &[(mcp::PATH, mcp::check), (mgp::PATH, mgp::check), (seeds::PATH, seeds::check)];
/// The folder of the four documents, from the workspace's.
const DOCUMENTS: &str = "../shared/spec";

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
    let tree = Tree::read(&root)?;
    let mut broken = Vec::new();
    match seeds::compare(&root.join(DOCUMENTS)) {
        None if std::env::var("CI").is_ok_and(|value| value == "true") => {
            return Err(format!("{DOCUMENTS} is not here: CI needs it"));
        }
        None => println!("the sections of the four documents are not compared: {DOCUMENTS} is not here"),
        Some(differences) if !differences.is_empty() => {
            differences.iter().for_each(|difference| println!("{difference}"));
            broken.push(format!("{} differences of sections", differences.len()));
        }
        Some(_) => {}
    }
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
