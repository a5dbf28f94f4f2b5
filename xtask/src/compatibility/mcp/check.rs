//! The rules of the page of MCP.

use super::{
    page::{CELLS, PATH, Row},
    scenarios::{self, Scenarios},
};
use crate::{
    compatibility::{
        links::Links,
        markdown,
        methods::{self, Protocol},
    },
    tree::Tree,
};
use std::collections::BTreeSet;

/// Returns the problems of the page.
pub(in crate::compatibility) fn check(tree: &Tree) -> Vec<String> {
    let Some(file) = tree.file(PATH) else { return vec![format!("{PATH} is missing")] };
    let list = tree.file(scenarios::PATH).map(|list| Scenarios::parse(&list.text));
    let list = match list {
        None => return vec![format!("{} is missing", scenarios::PATH)],
        Some(Err(error)) => return vec![error],
        Some(Ok(list)) => list,
    };
    let (known, mut links) = (methods::read(tree, Protocol::Mcp), Links::of(&file.text));
    let mut findings = Vec::new();
    let mut named = BTreeSet::new();
    for row in &markdown::rows(&file.text) {
        let mut found = |what: String| findings.push(format!("{PATH}:{}: {what}", row.line));
        let cells = row.cells.len();
        let Some(row) = Row::read(row) else {
            found(format!("the row has {cells} cells: expected {CELLS}"));
            continue;
        };
        for method in &row.methods {
            if !named.insert(*method) {
                found(format!("`{method}` has a row already"));
            }
            // Features have no methods; a text that looks like a method must be one.
            if method.contains('/') && !known.contains(method) {
                found(format!("`{method}` has no type in mgp-types/src/mcp"));
            }
        }
        check_sides(&row, &list, &mut links, &mut found);
    }
    let missing = known.difference(&named).map(|method| format!("`{method}` has no row"));
    findings.extend(missing.chain(links.problems(tree)).map(|problem| format!("{PATH}: {problem}")));
    findings
}

fn check_sides<'a>(
    row: &Row<'a>,
    list: &Scenarios<'_>,
    links: &mut Links<'a>,
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
        side.links.iter().filter_map(|name| links.note(name)).for_each(&mut *found);
        for scenario in &side.scenarios {
            if let Some(why) = list.wrong(tested_as, revisions, scenario) {
                found(format!("`{scenario}` {why}"));
            }
        }
    }
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
            "| method | eras | server | client | kernel |\n|---|---|---|---|---|\n{row}\n\n[a]: ../../tests/a.rs#it_is_so\n"
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
            ("| `a/b` | both | yes `pong` | no | yes [a] |", "`pong` is not a scenario"),
            ("| `a/b` | both | yes [a] | yes `ping` | no |", "`ping` is a scenario of the other side"),
            ("| `a/b` | both | yes [a] | no | yes `call` |", "`call` is a scenario of the other side"),
            (
                "| `a/b` | stateless; over HTTP | yes `ping` [a] | no | no |",
                "`ping` is not a scenario of this era",
            ),
            ("| `a/b` | both | yes `new` [a] | no | no |", "`new` is neither counted"),
            ("| `a/b` | all | yes [a] | no | no |", "\"all\": expected both, initialize"),
            ("| `a/b` | both | yes `ping` | no | no |", "[a] is never used"),
            ("| `a/b`, `a/b` | both | yes [a] | no | no |", "has a row already"),
            ("| `a/b` | both | yes [a] | no |", "the row has 4 cells: expected 5"),
        ] {
            assert!(findings(row).contains(finding), "{row}: {}", findings(row));
        }
        let page = "| `a/b` | both | yes [a] | no | no |\n[a]: ../../tests/a.rs\n";
        let found = check(&Tree::of(&[TYPES, TEST, LIST, (PATH, page)])).join("\n");
        assert!(found.contains("[a] leads to no test"), "{found}");
        let found = check(&Tree::of(&[TYPES, TEST, (PATH, page)])).join("\n");
        assert_eq!(found, "xtask/conformance/scenarios.txt is missing");
    }
}
