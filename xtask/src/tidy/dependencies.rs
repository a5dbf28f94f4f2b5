//! Every dependency is in the workspace's table, has its reason in `docs/dependencies.md`, and a crate that names it.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use crate::rust_code::find_word;
use crate::tree::{File, Tree};

const MANIFEST: &str = "Cargo.toml";
const REASONS: &str = "docs/dependencies.md";

/// Finds crates that are only in the table of reasons, or only in `[workspace.dependencies]`.
pub(super) fn reasons(tree: &Tree) -> Vec<Finding> {
    let Some(document) = tree.file(REASONS) else { return vec![Finding::in_file(REASONS, "is missing")] };
    let reasons = table(&document.text);
    let names = workspace_dependencies(tree);
    let mut findings = Vec::new();
    for name in &names {
        match reasons.get(name.as_str()) {
            None => findings.push(Finding::in_file(REASONS, format!("gives no reason for `{name}`"))),
            Some((line, "")) => {
                findings.push(Finding::on_line(REASONS, *line, format!("the reason for `{name}` is empty")));
            }
            Some(_) => {}
        }
    }
    let unknown = reasons.iter().filter(|(name, _)| !names.contains(**name));
    findings.extend(unknown.map(|(name, (line, _))| {
        Finding::on_line(REASONS, *line, format!("`{name}` is not a dependency of the workspace"))
    }));
    findings
}

/// Finds dependencies that a crate does not take from `[workspace.dependencies]`: they would need no reason, and their version could
/// be duplicated.
pub(super) fn inherited(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for manifest in members(tree) {
        for (index, text) in manifest.text.lines().enumerate() {
            if text.starts_with('[') && text.contains("dependencies.") {
                let what = format!("{text} is a separate table: expected a line with `workspace = true`");
                findings.push(Finding::on_line(&manifest.path, index + 1, what));
            }
        }
        for (line, name) in member_dependencies(manifest) {
            let text = manifest.text.lines().nth(line - 1).unwrap_or_default();
            let rest = text.strip_prefix(&*name).unwrap_or(text);
            if ![".workspace = true", " = { workspace = true"].iter().any(|form| rest.starts_with(form)) {
                let what = format!("`{name}` is not taken from the workspace: expected `workspace = true`");
                findings.push(Finding::on_line(&manifest.path, line, what));
            }
        }
    }
    findings
}

/// Finds dependencies that no source file of their crate names, or that no crate takes from the workspace.
pub(super) fn unused(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut taken = BTreeSet::new();
    for manifest in members(tree) {
        let folder = manifest.path.trim_end_matches("Cargo.toml");
        // Doctests name dependencies too, so the comments count.
        let sources: Vec<_> = tree.rust().filter(|file| file.path.starts_with(folder)).collect();
        for (line, name) in member_dependencies(manifest) {
            let crate_name = name.replace('-', "_");
            if !sources.iter().any(|file| find_word(&file.text, &crate_name).next().is_some()) {
                let what = format!("no source of this crate names `{crate_name}`");
                findings.push(Finding::on_line(&manifest.path, line, what));
            }
            taken.insert(name);
        }
    }
    let nobody = workspace_dependencies(tree).into_iter().filter(|name| !taken.contains(name));
    findings.extend(
        nobody.map(|name| Finding::in_file(MANIFEST, format!("no crate takes `{name}` from the workspace"))),
    );
    findings
}

/// The workspace of the fuzzer, which cannot inherit from ours.
const APART: &str = "fuzz/Cargo.toml";

/// Returns the manifests of the members.
fn members(tree: &Tree) -> impl Iterator<Item = &File> {
    tree.files.iter().filter(|file| file.path.ends_with("/Cargo.toml") && file.path != APART)
}

/// Returns the dependencies of a member, including those of its tests and build scripts and those on one platform.
fn member_dependencies(manifest: &File) -> Vec<(usize, String)> {
    dependencies(manifest, |section| section.ends_with("dependencies"))
}

/// Returns the workspace's dependencies without its own crates, which need no reason.
fn workspace_dependencies(tree: &Tree) -> BTreeSet<String> {
    let Some(manifest) = tree.file(MANIFEST) else { return BTreeSet::new() };
    let all = dependencies(manifest, |section| section == "workspace.dependencies");
    let lines: Vec<_> = manifest.text.lines().collect();
    let is_own =
        |line: usize| lines.get(line - 1).is_some_and(|text| find_word(text, "path").next().is_some());
    let foreign = all.into_iter().filter(|(line, _)| !is_own(*line));
    foreign.map(|(_, name)| name).collect()
}

/// Returns the keys of the manifest's tables that match, with their lines.
fn dependencies(manifest: &File, is_wanted: impl Fn(&str) -> bool) -> Vec<(usize, String)> {
    let mut wanted = false;
    let mut found = Vec::new();
    for (index, line) in manifest.text.lines().enumerate() {
        if let Some(section) = line.strip_prefix('[').and_then(|rest| rest.trim_end().strip_suffix(']')) {
            wanted = is_wanted(section);
        } else if wanted && line.starts_with(|first: char| first.is_ascii_alphanumeric()) {
            let is_name = |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
            found.push((index + 1, line.chars().take_while(|character| is_name(*character)).collect()));
        }
    }
    found
}

/// Reads the rows "| `name` | reason |".
fn table(document: &str) -> BTreeMap<&str, (usize, &str)> {
    let mut rows = BTreeMap::new();
    for (index, line) in document.lines().enumerate() {
        let Some((name, rest)) = line.strip_prefix("| `").and_then(|rest| rest.split_once('`')) else {
            continue;
        };
        let reason = rest.trim().trim_end_matches('|').rsplit('|').next().unwrap_or_default();
        rows.insert(name, (index + 1, reason.trim()));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORKSPACE: &str = "[workspace.dependencies]\nown = { path = \"own\" }\nserde = \"1\"\nbytes = { version = \"1\" }\n\n[profile.dev]\ndebug = 1\n";

    #[test]
    fn missing_empty_and_needless_reasons_are_found() {
        let document = "| crate | why |\n|---|---|\n| `bytes` | |\n| `gone` | for old times |\n";
        let findings = reasons(&Tree::of(&[(MANIFEST, WORKSPACE), (REASONS, document)]));
        assert_eq!(
            findings,
            [
                Finding::on_line(REASONS, 3, "the reason for `bytes` is empty"),
                Finding::in_file(REASONS, "gives no reason for `serde`"),
                Finding::on_line(REASONS, 4, "`gone` is not a dependency of the workspace"),
            ]
        );
        assert_eq!(reasons(&Tree::of(&[(MANIFEST, WORKSPACE)])), [Finding::in_file(REASONS, "is missing")]);
    }

    #[test]
    fn a_reason_for_each_is_enough() {
        let document = "| `bytes` | cheap slices |\n| `serde` | JSON |\n";
        assert_eq!(reasons(&Tree::of(&[(MANIFEST, WORKSPACE), (REASONS, document)])), []);
    }

    #[test]
    fn a_dependency_from_outside_the_workspace_table_is_found() {
        let member = "[features]
x = []

[dependencies]
bytes = { version = \"1\" }
own = { path = \"../own\", features = [\"workspace = true\"] }
serde = { workspace = true, optional = true }
tokio.workspace = true

[target.'cfg(unix)'.dev-dependencies]
rand = \"1\"

[build-dependencies.cc]
version = \"1\"
";
        let tree = Tree::of(&[(MANIFEST, WORKSPACE), ("a/Cargo.toml", member)]);
        let outside = |name| format!("`{name}` is not taken from the workspace: expected `workspace = true`");
        let table = "[build-dependencies.cc] is a separate table: expected a line with `workspace = true`";
        assert_eq!(inherited(&Tree::of(&[(MANIFEST, WORKSPACE), (APART, member)])), []);
        assert_eq!(
            inherited(&tree),
            [
                Finding::on_line("a/Cargo.toml", 13, table),
                Finding::on_line("a/Cargo.toml", 5, outside("bytes")),
                Finding::on_line("a/Cargo.toml", 6, outside("own")),
                Finding::on_line("a/Cargo.toml", 11, outside("rand")),
            ]
        );
    }

    #[test]
    fn a_dependency_that_nothing_names_is_found() {
        let member =
            "[dependencies]\nserde.workspace = true\nserde-json.workspace = true\n\n[features]\nx = []\n";
        let tree = Tree::of(&[
            (MANIFEST, WORKSPACE),
            ("a/Cargo.toml", member),
            ("a/src/lib.rs", "use serde_json as s;"),
        ]);
        assert_eq!(
            unused(&tree),
            [
                Finding::on_line("a/Cargo.toml", 2, "no source of this crate names `serde`"),
                Finding::in_file(MANIFEST, "no crate takes `bytes` from the workspace"),
            ]
        );
    }
}
