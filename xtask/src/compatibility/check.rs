//! The rules of the page.

use super::{
    methods,
    page::{self, PATH, Row},
    scenarios::{self, Scenarios},
    shown_by,
};
use crate::tree::Tree;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the problems of the page.
pub(super) fn check(tree: &Tree) -> Vec<String> {
    let Some(file) = tree.file(PATH) else { return vec![format!("{PATH} is missing")] };
    let list = tree.file(scenarios::PATH).map(|list| Scenarios::parse(&list.text));
    let list = match list {
        None => return vec![format!("{} is missing", scenarios::PATH)],
        Some(Err(error)) => return vec![error],
        Some(Ok(list)) => list,
    };
    let (known, rows, targets) = (methods::read(tree), page::rows(&file.text), page::targets(&file.text));
    let mut findings = Vec::new();
    let mut named = BTreeSet::new();
    for row in &rows {
        let mut found = |what: String| findings.push(format!("{PATH}:{}: {what}", row.line));
        for method in &row.methods {
            if !named.insert(*method) {
                found(format!("`{method}` has a row already"));
            }
            // Features have no methods; a text that looks like a method must be one.
            if method.contains('/') && !known.contains_key(*method) {
                found(format!("`{method}` has no type in mgp-types/src/mcp"));
            }
        }
        check_sides(row, &list, &targets, &mut found);
    }
    let missing = known.keys().filter(|method| !named.contains(method.as_str()));
    findings.extend(missing.map(|method| format!("{PATH}: `{method}` has no row")));
    let broken = targets.iter().filter_map(|(name, target)| Some((name, shown_by::wrong(tree, target)?)));
    findings.extend(broken.map(|(name, why)| format!("{PATH}: [{name}] {why}")));
    findings.extend(unused(&rows, &targets).map(|name| format!("{PATH}: [{name}] is never used")));
    findings
}

fn check_sides(
    row: &Row<'_>,
    list: &Scenarios<'_>,
    targets: &BTreeMap<&str, &str>,
    found: &mut impl FnMut(String),
) {
    let Some(revisions) = row.revisions() else {
        return found(format!("{:?}: expected both, initialize, stateless or a revision", row.era));
    };
    for (side, tested_as) in row.sides.iter().zip(Row::TESTED_AS) {
        if !["yes", "partly", "no", "–"].contains(&side.word) {
            found(format!("{:?}: expected yes, partly, no or a dash", side.word));
        }
        if side.word == "yes" && side.scenarios.is_empty() && side.links.is_empty() {
            found("a yes with nothing that shows it".to_owned());
        }
        for name in side.links.iter().filter(|name| !targets.contains_key(*name)) {
            found(format!("[{name}] leads nowhere"));
        }
        for scenario in &side.scenarios {
            if let Some(why) = list.wrong(tested_as, revisions, scenario) {
                found(format!("`{scenario}` {why}"));
            }
        }
    }
}

fn unused<'a>(rows: &'a [Row<'_>], targets: &'a BTreeMap<&str, &str>) -> impl Iterator<Item = &'a str> {
    let used: BTreeSet<_> =
        rows.iter().flat_map(|row| &row.sides).flat_map(|side| side.links.iter().copied()).collect();
    targets.keys().copied().filter(move |name| !used.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPES: (&str, &str) = ("mgp-types/src/mcp/a.rs", "    call A = \"a/b\": P => R;\n");
    const TEST: (&str, &str) = ("tests/a.rs", "#[test]\nfn it_is_so() {}\n");
    const LIST: (&str, &str) = (
        scenarios::PATH,
        "server 2025-11-25 scored ping\nclient 2026-07-28 must-pass call\nserver 2026-07-28 shown new\n",
    );

    fn findings(row: &str) -> String {
        let page = format!(
            "| method | eras | server | client | kernel |\n|---|---|---|---|---|\n{row}\n\n[a]: ../tests/a.rs#it_is_so\n"
        );
        check(&Tree::of(&[TYPES, TEST, LIST, (PATH, &page)])).join("\n")
    }

    #[test]
    fn a_page_that_is_true_has_no_findings() {
        assert_eq!(findings("| `a/b` | both | yes `ping` [a] | yes `call` | partly: `ping` |"), "");
    }

    #[test]
    fn each_rule_finds_what_breaks_it() {
        for (row, finding) in [
            ("| `c/d` | both | yes [a] | no | no |", "`c/d` has no type"),
            ("| x | both | yes [a] | no | no |", "`a/b` has no row"),
            ("| `a/b` | both | yes | no | [a] |", "a yes with nothing that shows it"),
            ("| `a/b` | both | maybe [a] | no | no |", "expected yes, partly, no"),
            ("| `a/b` | both | yes [b] | no | yes [a] |", "[b] leads nowhere"),
            ("| `a/b` | both | yes `pong` | no | yes [a] |", "`pong` is no scenario"),
            ("| `a/b` | both | yes [a] | yes `ping` | no |", "`ping` is a scenario of the other side"),
            ("| `a/b` | both | yes [a] | no | yes `call` |", "`call` is a scenario of the other side"),
            (
                "| `a/b` | stateless; over HTTP | yes `ping` [a] | no | no |",
                "`ping` is no scenario of this era",
            ),
            ("| `a/b` | both | yes `new` [a] | no | no |", "`new` neither counts"),
            ("| `a/b` | all | yes [a] | no | no |", "\"all\": expected both, initialize"),
            ("| `a/b` | both | yes `ping` | no | no |", "[a] is never used"),
            ("| `a/b`, `a/b` | both | yes [a] | no | no |", "has a row already"),
        ] {
            assert!(findings(row).contains(finding), "{row}: {}", findings(row));
        }
        let page = "| `a/b` | both | yes [a] | no | no |\n[a]: ../tests/a.rs\n";
        let found = check(&Tree::of(&[TYPES, TEST, LIST, (PATH, page)])).join("\n");
        assert!(found.contains("[a] leads to no test"), "{found}");
        let found = check(&Tree::of(&[TYPES, TEST, (PATH, page)])).join("\n");
        assert_eq!(found, "xtask/conformance/scenarios.txt is missing");
    }
}
