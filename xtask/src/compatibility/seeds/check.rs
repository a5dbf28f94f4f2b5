//! The rules of the page of the four documents.

use super::{
    document::DOCUMENTS,
    page::{CELLS, PATH, Row},
};
use crate::{
    compatibility::{links::Links, markdown, parts},
    tree::Tree,
};
use std::collections::BTreeSet;

/// Returns the problems of the page.
pub(in crate::compatibility) fn check(tree: &Tree) -> Vec<String> {
    let Some(file) = tree.file(PATH) else { return vec![format!("{PATH} is missing")] };
    let mut links = Links::of(&file.text);
    let mut findings = Vec::new();
    let (mut sections, mut capabilities) = (BTreeSet::new(), BTreeSet::new());
    for row in &markdown::rows(&file.text) {
        let mut found = |what: String| findings.push(format!("{PATH}:{}: {what}", row.line));
        let cells = row.cells.len();
        let Some(row) = Row::read(row) else {
            found(format!("the row has {cells} cells: expected {CELLS}"));
            continue;
        };
        let document = DOCUMENTS.iter().find(|document| document.name == row.document);
        if !document.is_some_and(|document| document.asks.contains(&row.section)) {
            found(format!("{} {:?} is not a section with requests", row.document, row.section));
        }
        if row.capability.is_empty() || !capabilities.insert((row.document, row.capability)) {
            found(format!("{:?}: expected a capability that no other row states", row.capability));
        }
        sections.insert((row.document, row.section));
        parts::check(tree, &row.parts, &mut found);
        check_evidence(&row, &mut links, &mut found);
    }
    let wanted =
        DOCUMENTS.iter().flat_map(|document| document.asks.iter().map(|section| (document.name, *section)));
    let missing = wanted.filter(|section| !sections.contains(section));
    let missing = missing.map(|(document, section)| format!("{document} {section:?} has no row"));
    findings.extend(missing.chain(links.problems(tree)).map(|problem| format!("{PATH}: {problem}")));
    findings
}

fn check_evidence<'a>(row: &Row<'a>, links: &mut Links<'a>, found: &mut impl FnMut(String)) {
    row.links.iter().filter_map(|name| links.note(name)).for_each(&mut *found);
    match row.word {
        "yes" | "partly" if row.links.is_empty() => {
            found(format!("a {} with no test that shows it", row.word));
        }
        "yes" | "partly" if row.parts.is_empty() => found(format!("a {} with no part that has it", row.word)),
        "partly" | "no" | "deliberately" if row.reason.is_empty() => {
            found(format!("a {} without a reason after a colon", row.word));
        }
        "no" | "deliberately" if !row.parts.is_empty() || !row.links.is_empty() => {
            found(format!("a {} with a part or a test", row.word));
        }
        "yes" | "partly" | "no" | "deliberately" => {}
        word => found(format!("{word:?}: expected yes, partly, no or deliberately")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    const TEST: (&str, &str) = ("tests/a.rs", "#[test]\nfn it_is_so() {}\n");
    const CRATE: (&str, &str) = ("mgp-stream/Cargo.toml", "");

    /// Returns the findings about a row on a page that has a row for every section.
    fn findings(row: &str) -> String {
        let mut page = "| document | section | capability | by | shown |\n|---|---|---|---|---|\n".to_owned();
        for document in DOCUMENTS {
            for section in document.asks {
                let begin = format!("| {} | {section} |", document.name);
                if !row.starts_with(&begin) {
                    writeln!(page, "{begin} all of {section} | – | no: later |").unwrap();
                }
            }
        }
        write!(page, "{row}\n\n[a]: ../../tests/a.rs#it_is_so\n").unwrap();
        check(&Tree::of(&[TEST, CRATE, (PATH, &page)])).join("\n")
    }

    #[test]
    fn a_page_that_is_true_has_no_findings() {
        for row in [
            "| proposals | 3 | cost | kernel, mgp-stream | yes [a] |",
            "| results | 3.2 | states | server SDK | partly [a]: half of it |",
        ] {
            assert_eq!(findings(row), "");
        }
    }

    #[test]
    fn each_rule_finds_what_breaks_it() {
        for (row, finding) in [
            ("| proposals | 16 | x | kernel | yes [a] |", "proposals \"16\" is not a section with requests"),
            ("| results | 1 | x | kernel | yes [a] |", "results \"1\" is not a section with requests"),
            ("| other | 1 | x | kernel | yes [a] |", "other \"1\" is not a section with requests"),
            ("| proposals | 3 |  | kernel | yes [a] |", "\"\": expected a capability"),
            (
                "| proposals | 3 | all of 4 | kernel | yes [a] |",
                "\"all of 4\": expected a capability that no",
            ),
            ("| proposals | 3 | x | mgp-nothing | yes [a] |", "\"mgp-nothing\": expected a crate or one of"),
            ("| proposals | 3 | x | kernel | yes |", "a yes with no test that shows it"),
            ("| proposals | 3 | x | – | yes [a] |", "a yes with no part that has it"),
            ("| proposals | 3 | x | kernel | partly [a] |", "a partly without a reason"),
            ("| proposals | 3 | x | – | no |", "a no without a reason"),
            ("| proposals | 3 | x | – | deliberately |", "a deliberately without a reason"),
            ("| proposals | 3 | x | kernel | no: later |", "a no with a part or a test"),
            ("| proposals | 3 | x | – | deliberately [a]: why |", "a deliberately with a part or a test"),
            ("| proposals | 3 | x | kernel | maybe [a] |", "\"maybe\": expected yes, partly"),
            ("| proposals | 3 | x | kernel | yes [b] |", "[b] leads nowhere"),
            ("| proposals | 3 | x | – | no: later |", "[a] is never used"),
            ("| proposals | 3 | x | yes [a] |", "the row has 4 cells: expected 5"),
        ] {
            assert!(findings(row).contains(finding), "{row}: {}", findings(row));
        }
    }

    #[test]
    fn missing_sections_links_and_pages_are_found() {
        let page = "| proposals | 3 | x | kernel | yes [a] |\n[a]: ../../tests/a.rs#it_is_not_so\n";
        let found = check(&Tree::of(&[TEST, (PATH, page)])).join("\n");
        for finding in [
            "proposals \"4\" has no row",
            "registry \"Core Methods\" has no row",
            "[a] leads to no test of its file that runs",
        ] {
            assert!(found.contains(finding), "{finding}: {found}");
        }
        assert!(!found.contains("proposals \"3\" has no row"), "{found}");
        assert_eq!(check(&Tree::of(&[TEST])), ["docs/compatibility/seeds.md is missing"]);
    }
}
