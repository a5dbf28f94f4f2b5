//! Runs the rules and prints their findings.

use super::{rules::RULES, size};
use crate::{tree::Tree, workspace};

const HELP: &str = "usage: cargo xtask tidy

Checks the text of the repository and prints its ten largest Rust files. The rules:";

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    if let Some(argument) = arguments.first() {
        if !matches!(argument.as_str(), "--help" | "-h") {
            return Err(format!("unexpected argument `{argument}`: tidy takes none but --help"));
        }
        println!("{HELP}");
        for rule in RULES {
            println!("  {:<22} {}", rule.name, rule.why);
        }
        return Ok(());
    }

    let tree = Tree::read(&workspace::root())?;
    println!("the ten largest Rust files:");
    for (lines, path) in size::largest(&tree, 10) {
        println!("{lines:>5} {path}");
    }
    let mut findings = 0;
    for rule in RULES {
        let found = (rule.check)(&tree);
        if !found.is_empty() {
            println!("\n{}: {}", rule.name, rule.why);
        }
        for finding in &found {
            println!("  {finding}");
        }
        findings += found.len();
    }
    println!("\ntidy: {} rules, {} files, {findings} findings", RULES.len(), tree.files.len());
    if findings == 0 { Ok(()) } else { Err(format!("tidy has {findings} findings")) }
}
