//! Reads the specification, checks its blocks, and prints one line a section.

use std::{collections::BTreeMap, fs, path::PathBuf};

use super::{
    block::{self, Specification},
    check::Checker,
    elided, errors_page, methods, schemas,
};
use crate::{process, tally::Tally, tree::Tree, workspace};

const HELP: &str = "usage: cargo xtask spec [--write] [--file PATH]

Reads every JSON block of the MGP specification as its type, writes it back and compares; sends each message through the
frame reader with an unknown member; compares docs/errors.md with the table of error codes, docs/schemas with the types
of the messages and of the configuration, and the tables of docs/configuration.md with the latter.

  --write      write docs/errors.md, docs/schemas and the tables of docs/configuration.md
  --file PATH  the specification (default: ../shared/spec/mgp.md next to the workspace)";

#[derive(Debug, PartialEq, Eq, Default)]
struct Options {
    write: bool,
    file: Option<PathBuf>,
    help: bool,
}

fn options(arguments: &[String]) -> Result<Options, String> {
    let mut options = Options::default();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--write" => options.write = true,
            "--help" | "-h" => options.help = true,
            "--file" => {
                let path = arguments.next().ok_or("missing value of --file: expected a path")?;
                options.file = Some(path.into());
            }
            other => {
                return Err(format!("unexpected argument `{other}`: spec takes --write and --file PATH"));
            }
        }
    }
    Ok(options)
}

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let options = options(arguments)?;
    if options.help {
        println!("{HELP}");
        return Ok(());
    }
    let root = workspace::root();
    errors_page::check(&root, options.write)?;
    schemas::check(&root, &Tree::read(&root)?, options.write)?;
    let write = if options.write { vec!["--write".to_owned()] } else { Vec::new() };
    process::run_package("xtask-configuration", &["-q"], &write)?;

    let given = options.file.is_some();
    let path = options.file.unwrap_or_else(|| root.join("../shared/spec/mgp.md"));
    if !given && !path.is_file() {
        if std::env::var("CI").is_ok_and(|value| value == "true") {
            return Err("../shared/spec is not here: CI needs it".into());
        }
        println!("skipped: ../shared/spec is not here");
        return Ok(());
    }
    let text =
        fs::read_to_string(&path).map_err(|error| format!("failed to read {}: {error}", path.display()))?;
    let report = report(&block::read(&text));
    for line in &report.lines {
        println!("{line}");
    }
    println!("{}", report.tally);
    if report.tally.failed == 0 { Ok(()) } else { Err(format!("{} blocks failed", report.tally.failed)) }
}

struct Report {
    lines: Vec<String>,
    tally: Tally,
}

/// Checks every block, and that every method in the text has a type.
fn report(specification: &Specification) -> Report {
    let mut checker = Checker::default();
    // Keyed by the section's position in the text, since 16 comes before 8 there.
    let mut sections: Vec<(&str, BTreeMap<&str, usize>)> = Vec::new();
    let mut failures = Vec::new();
    for block in &specification.blocks {
        let section = block.section.split('.').next().unwrap_or_default();
        if sections.last().is_none_or(|(last, _)| *last != section) {
            sections.push((section, BTreeMap::new()));
        }
        let outcome = match checker.check(block) {
            Ok(_) => "passed",
            Err(problem) => {
                failures.push(format!("line {}, §{}: {problem}", block.line, block.section));
                "failed"
            }
        };
        if let Some((_, counts)) = sections.last_mut() {
            *counts.entry(outcome).or_default() += 1;
        }
    }
    if checker.elided != elided::COUNT {
        failures.push(format!("{} blocks leave parts out, expected {}", checker.elided, elided::COUNT));
    }
    for (line, method) in &specification.named {
        if methods::find(method).is_none() {
            failures.push(format!("line {line}: has no type for {method}"));
        }
    }
    let count = |counts: &BTreeMap<&str, usize>, outcome| counts.get(outcome).copied().unwrap_or_default();
    let passed = sections.iter().map(|(_, counts)| count(counts, "passed")).sum();
    let mut lines: Vec<_> = sections
        .iter()
        .map(|(section, counts)| {
            format!("§{section}: {} passed, {} failed", count(counts, "passed"), count(counts, "failed"))
        })
        .collect();
    lines
        .push(format!("{} of them leave parts out and were checked with the gaps filled in", checker.elided));
    let tally = Tally { passed, failed: failures.len(), skipped: 0 };
    lines.extend(failures);
    Report { lines, tally }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_others_are_named() {
        let read =
            |arguments: &[&str]| options(&arguments.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(
            read(&["--write", "--file", "a.md"]),
            Ok(Options { write: true, file: Some("a.md".into()), help: false })
        );
        assert!(read(&["--file"]).unwrap_err().contains("expected a path"));
        assert!(read(&["--wirte"]).unwrap_err().contains("unexpected argument `--wirte`"));
    }

    #[test]
    fn every_block_is_counted_and_a_failure_names_its_line() {
        let text = "## 5. A\n```json\n{\"restart_policy\":\"never\",\"max_restarts\":1,\"restart_window_secs\":2,\
                    \"backoff_base_ms\":3,\"backoff_max_ms\":4}\n```\n## 6. B\n#### mgp/fly\n```json\n{\"x\":1}\n```\n";
        let report = report(&block::read(text));
        assert_eq!(report.lines[..2], ["§5: 1 passed, 0 failed", "§6: 0 passed, 1 failed"]);
        assert!(report.lines.contains(&"line 6: has no type for mgp/fly".to_owned()), "{:?}", report.lines);
        assert!(
            report.lines.iter().any(|line| line.starts_with("line 7, §6: is neither")),
            "{:?}",
            report.lines
        );
        // The unknown block, the unknown method, and the three blocks with gaps that are not there.
        assert_eq!(report.tally, Tally { passed: 1, failed: 3, skipped: 0 });
    }
}
