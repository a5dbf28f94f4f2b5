//! The rules of the page of MGP.

use super::{
    page::{CELLS, PATH, Row},
    sections::{CODES, SECTIONS},
};
use crate::{
    compatibility::{
        links::Links,
        markdown,
        methods::{self, Protocol},
        parts,
    },
    tree::Tree,
};
use mgp_types::error::ErrorCode;
use std::collections::BTreeSet;

/// Returns the problems of the page.
pub(in crate::compatibility) fn check(tree: &Tree) -> Vec<String> {
    let Some(file) = tree.file(PATH) else { return vec![format!("{PATH} is missing")] };
    let (known, mut links) = (methods::read(tree, Protocol::Mgp), Links::of(&file.text));
    let mut findings = Vec::new();
    let (mut sections, mut rules) = (BTreeSet::new(), BTreeSet::new());
    let (mut named, mut codes) = (BTreeSet::new(), BTreeSet::new());
    for row in &markdown::rows(&file.text) {
        let mut found = |what: String| findings.push(format!("{PATH}:{}: {what}", row.line));
        let cells = row.cells.len();
        let Some(row) = Row::read(row) else {
            found(format!("the row has {cells} cells: expected {CELLS}"));
            continue;
        };
        if !SECTIONS.contains(&row.section) {
            found(format!("{:?} is not a section with requirements", row.section));
        }
        if row.rule.is_empty() || !rules.insert(row.rule) {
            found(format!("{:?}: expected a rule that no other row states", row.rule));
        }
        sections.insert(row.section);
        parts::check(tree, &row.parts, &mut found);
        check_evidence(&row, &mut links, &mut found);
        let code = row.code();
        if row.section == CODES {
            codes.extend(code.iter().filter_map(|code| code.parse::<i64>().ok()));
        }
        for method in code.into_iter().filter(|code| methods::is_of_mgp(code) && !code.ends_with('*')) {
            named.insert(method);
            if !known.contains(method) {
                found(format!("`{method}` has no type in mgp-types"));
            }
        }
    }
    let missing = SECTIONS.iter().filter(|section| !sections.contains(**section));
    let mut missing: Vec<_> = missing.map(|section| format!("§{section} has no row")).collect();
    missing.extend(known.difference(&named).map(|method| format!("`{method}` has no row")));
    let without = ErrorCode::ALL.iter().map(|code| i64::from(*code)).filter(|code| !codes.contains(code));
    missing.extend(without.map(|code| format!("the error code `{code}` has no row in §{CODES}")));
    missing.extend(links.problems(tree));
    findings.extend(missing.into_iter().map(|problem| format!("{PATH}: {problem}")));
    findings
}

fn check_evidence<'a>(row: &Row<'a>, links: &mut Links<'a>, found: &mut impl FnMut(String)) {
    row.links.iter().filter_map(|name| links.note(name)).for_each(&mut *found);
    match (row.word, row.links.is_empty(), row.reason) {
        ("yes" | "partly", true, _) => found(format!("a {} with no test that shows it", row.word)),
        ("partly" | "no", _, "") => found(format!("a {} without a reason after a colon", row.word)),
        ("yes" | "partly" | "no", ..) => {}
        (word, ..) => found(format!("{word:?}: expected yes, partly or no")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    const TYPES: (&str, &str) = ("mgp-types/src/a.rs", "    call A = \"mgp/a\": P => R;\n");
    const TEST: (&str, &str) = ("tests/a.rs", "#[test]\nfn it_is_so() {}\n");
    const CRATE: (&str, &str) = ("mgp-stream/Cargo.toml", "");

    /// Returns the findings about a row on a page that has a row for every section and code.
    fn findings(row: &str) -> String {
        let mut page = "| § | rule | by | shown |\n|---|---|---|---|\n".to_owned();
        for section in SECTIONS.iter().filter(|section| !row.starts_with(&format!("| {section} |"))) {
            writeln!(page, "| {section} | rule of {section} | kernel | no: later |").unwrap();
        }
        let codes: Vec<_> = ErrorCode::ALL.iter().map(|code| format!("`{}`", i64::from(*code))).collect();
        write!(page, "| 14.3 | {} | kernel | no: later |\n{row}\n", codes.join(", ")).unwrap();
        let page = page + "\n[a]: ../../tests/a.rs#it_is_so\n";
        check(&Tree::of(&[TYPES, TEST, CRATE, (PATH, &page)])).join("\n")
    }

    #[test]
    fn a_page_that_is_true_has_no_findings() {
        for row in [
            "| 11.3 | `mgp/a` is answered | kernel, mgp-stream | yes [a] |",
            "| 11.3 | `mgp/a`, not `mgp/*` | server SDK | partly [a]: half of it |",
        ] {
            assert_eq!(findings(row), "");
        }
    }

    #[test]
    fn each_rule_finds_what_breaks_it() {
        for (row, finding) in [
            ("| 11.3 | `mgp/b` | kernel | yes [a] |", "`mgp/b` has no type in mgp-types"),
            ("| 11.3 | x | kernel | yes [a] |", "`mgp/a` has no row"),
            ("| 11.9 | `mgp/a` | kernel | yes [a] |", "\"11.9\" is not a section with requirements"),
            ("| 11.3 |  | kernel | yes [a] |", "\"\": expected a rule"),
            ("| 11.3 | rule of 2.2 | kernel | yes [a] |", "\"rule of 2.2\": expected a rule that no other"),
            (
                "| 11.3 | `mgp/a` | mgp-nothing | yes [a] |",
                "\"mgp-nothing\": expected a crate or one of kernel",
            ),
            ("| 11.3 | `mgp/a` |  | yes [a] |", "\"\": expected a crate"),
            ("| 11.3 | `mgp/a` | kernel | yes |", "a yes with no test that shows it"),
            ("| 11.3 | `mgp/a` | kernel | partly: half |", "a partly with no test that shows it"),
            ("| 11.3 | `mgp/a` | kernel | partly [a] |", "a partly without a reason"),
            ("| 11.3 | `mgp/a` | kernel | no |", "a no without a reason"),
            ("| 11.3 | `mgp/a` | kernel | maybe [a] |", "\"maybe\": expected yes, partly or no"),
            ("| 11.3 | `mgp/a` | kernel | yes [b] |", "[b] leads nowhere"),
            ("| 11.3 | `mgp/a` | kernel | no: later |", "[a] is never used"),
            ("| 11.3 | `mgp/a` | yes [a] |", "the row has 3 cells: expected 4"),
        ] {
            assert!(findings(row).contains(finding), "{row}: {}", findings(row));
        }
    }

    #[test]
    fn missing_sections_codes_links_and_pages_are_found() {
        let page = "| 11.3 | `mgp/a`, `1000` | kernel | yes [a] |\n[a]: ../../tests/a.rs#it_is_not_so\n";
        let found = check(&Tree::of(&[TYPES, TEST, (PATH, page)])).join("\n");
        for finding in [
            "§11.4 has no row",
            "the error code `1000` has no row in §14.3",
            "[a] leads to no test of its file that runs",
        ] {
            assert!(found.contains(finding), "{finding}: {found}");
        }
        assert!(!found.contains("§11.3 has no row"), "{found}");
        assert_eq!(check(&Tree::of(&[TYPES])), ["docs/compatibility/mgp-compatibility.md is missing"]);
    }
}
