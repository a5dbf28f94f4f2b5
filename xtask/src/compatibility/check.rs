//! The rules of the page.

use super::{
    methods,
    page::{self, PATH, Row},
    scenarios,
};
use crate::tree::Tree;
use std::collections::BTreeSet;

/// What is wrong with the page. `list` names the suite's scenarios, where it is there.
pub(super) fn check(tree: &Tree, list: Option<&str>) -> Vec<String> {
    let Some(file) = tree.file(PATH) else { return vec![format!("{PATH} is missing")] };
    let (known, rows, targets) = (methods::read(tree), page::rows(&file.text), page::targets(&file.text));
    let mut findings = Vec::new();
    let mut named = BTreeSet::new();
    for row in &rows {
        let mut found = |what: String| findings.push(format!("{PATH}:{}: {what}", row.line));
        for method in &row.methods {
            if !named.insert(*method) {
                found(format!("`{method}` has a row already"));
            }
            // Features have no methods; what looks like one must be one.
            if method.contains('/') && !known.contains_key(*method) {
                found(format!("`{method}` has no type in mgp-types/src/mcp"));
            }
        }
        for side in &row.sides {
            if !["yes", "partly", "no", "–"].contains(&side.word) {
                found(format!("{:?}: expected yes, partly, no or a dash", side.word));
            }
            if side.word == "yes" && side.scenarios.is_empty() && side.links.is_empty() {
                found("a yes with nothing that shows it".to_owned());
            }
            for name in &side.links {
                match targets.get(name) {
                    None => found(format!("[{name}] leads nowhere")),
                    Some(target) if !tree.paths.contains(&resolved(target)) => {
                        found(format!("[{name}] leads to no file"));
                    }
                    Some(_) => {}
                }
            }
            for scenario in &side.scenarios {
                if list.is_some_and(|list| !scenarios::has(list, scenario)) {
                    found(format!("`{scenario}` is no scenario of the suite"));
                }
            }
        }
    }
    let missing = known.keys().filter(|method| !named.contains(method.as_str()));
    findings.extend(missing.map(|method| format!("{PATH}: `{method}` has no row")));
    findings.extend(unused(&rows, &targets).map(|name| format!("{PATH}: [{name}] is never used")));
    findings
}

/// A link of the page, from the root.
fn resolved(target: &str) -> String {
    target.strip_prefix("../").map_or_else(|| format!("docs/{target}"), str::to_owned)
}

fn unused<'a>(
    rows: &'a [Row<'_>],
    targets: &'a std::collections::BTreeMap<&str, &str>,
) -> impl Iterator<Item = &'a str> {
    let used: BTreeSet<_> =
        rows.iter().flat_map(|row| &row.sides).flat_map(|side| side.links.iter().copied()).collect();
    targets.keys().copied().filter(move |name| !used.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPES: (&str, &str) = ("mgp-types/src/mcp/a.rs", "    call A = \"a/b\": P => R;\n");
    const TEST: (&str, &str) = ("tests/a.rs", "");

    fn findings(row: &str) -> String {
        let page = format!(
            "| method | eras | server | client | kernel |\n|---|---|---|---|---|\n{row}\n\n[a]: ../tests/a.rs\n"
        );
        check(&Tree::of(&[TYPES, TEST, (PATH, &page)]), Some("ping")).join("\n")
    }

    #[test]
    fn a_page_that_is_true_has_no_findings() {
        assert_eq!(findings("| `a/b` | both | yes `ping` [a] | no | – |"), "");
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
            ("| `a/b` | both | yes `ping` | no | no |", "[a] is never used"),
            ("| `a/b`, `a/b` | both | yes [a] | no | no |", "has a row already"),
        ] {
            assert!(findings(row).contains(finding), "{row}: {}", findings(row));
        }
        let page = "| `a/b` | both | yes [a] | no | no |\n[a]: ../tests/gone.rs\n";
        let found = check(&Tree::of(&[TYPES, (PATH, page)]), None).join("\n");
        assert!(found.contains("[a] leads to no file"), "{found}");
    }
}
