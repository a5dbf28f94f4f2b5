//! The rule on the names of methods: a section defines its own methods.

use super::sources::{is_shipped, starts_with};
use super::table::{Place, Section};
use crate::rust_code::{RustCode, find_word};
use crate::tree::Tree;

/// Finds names of a section's methods outside `mgp-types` and the crate of the section: as text, or as `METHOD` of the method's type.
pub(super) fn methods(tree: &Tree, sections: &[Section], places: &[Place]) -> Vec<String> {
    let methods: Vec<_> = sections.iter().flat_map(|section| of_section(tree, section)).collect();
    let mut findings = Vec::new();
    for file in tree.rust().filter(|file| is_shipped(file)) {
        if file.path.starts_with("mgp-types/") || places.iter().any(|place| starts_with(&file.path, place.0))
        {
            continue;
        }
        let code = RustCode::parse(&file.text).without_tests();
        for (owner, constant, text) in methods.iter().filter(|(owner, ..)| !starts_with(&file.path, owner)) {
            let named = find_word(&code.bare, constant).map(|at| (at, constant));
            let written = find_word(&code.text, text).map(|at| (at, text));
            findings.extend(named.chain(written).map(|(at, word)| {
                format!(
                    "{}:{}: names `{word}`, which only {owner} may: mount its routes()",
                    file.path,
                    file.line_at(at)
                )
            }));
        }
    }
    findings
}

/// Returns the methods of a section: its crate, `Name::METHOD`, and the text in quotes.
fn of_section(tree: &Tree, section: &Section) -> Vec<(&'static str, String, String)> {
    let files = tree.rust().filter(|file| starts_with(&file.path, section.types));
    let lines = files.flat_map(|file| file.text.lines());
    let method = |line: &str| {
        let (head, rest) = line.trim().split_once(" = \"mgp/")?;
        let name = head.strip_prefix("call ").or_else(|| head.strip_prefix("control "))?;
        let (method, _) = rest.split_once('"')?;
        Some((section.owner, format!("{name}::METHOD"), format!("\"mgp/{method}\"")))
    };
    lines.filter_map(method).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECTIONS: &[Section] = &[Section { types: "mgp-types/src/health.rs", owner: "mgp-lifecycle" }];
    const PLACES: &[Place] = &[("mgp/src/demo", "shows the wire")];
    const TYPES: (&str, &str) =
        ("mgp-types/src/health.rs", "calls! {\n    control HealthPing = \"mgp/health/ping\": A => B;\n}");

    #[test]
    fn only_its_own_crate_names_a_section_s_method() {
        let tree = Tree::of(&[
            TYPES,
            ("mgp-lifecycle/src/health.rs", "HealthPing::METHOD"),
            ("mgp/src/demo/steps.rs", "\"mgp/health/ping\""),
            ("sdk/src/mount.rs", "// HealthPing::METHOD\nroutes().route(HealthPing, handler)"),
            ("sdk/tests/ping.rs", "\"mgp/health/ping\""),
            (
                "sdk/src/list.rs",
                "match method {\n    HealthPing::METHOD => {}\n    \"mgp/health/ping\" => {}\n}",
            ),
        ]);
        let why = "which only mgp-lifecycle may: mount its routes()";
        assert_eq!(
            methods(&tree, SECTIONS, PLACES),
            [
                format!("sdk/src/list.rs:2: names `HealthPing::METHOD`, {why}"),
                format!("sdk/src/list.rs:3: names `\"mgp/health/ping\"`, {why}"),
            ]
        );
    }

    #[test]
    fn every_section_has_methods() {
        let tree = Tree::read(&crate::workspace::root()).unwrap();
        for section in crate::layers::table::SECTIONS {
            assert!(!of_section(&tree, section).is_empty(), "{}", section.types);
        }
    }
}
