//! Misleading definitions, and harmless ones.

use super::{Finding, FindingKind, ToolNames, scan};
use mgp_types::{context::ToolId, json::RawJson};
use serde_json::Value;
use std::path::Path;

/// Returns the definitions of a file of the corpus, one on each line.
fn corpus(name: &str) -> Vec<RawJson> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/definitions").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| RawJson::parse(line.to_owned()).unwrap()).collect()
}

fn name(definition: &RawJson) -> String {
    definition.decode::<Value>().unwrap()["name"].as_str().unwrap().to_owned()
}

#[test]
fn every_poisoned_definition_is_found() {
    for (file, kind) in [
        ("poisoned/instructions.jsonl", FindingKind::Instruction),
        ("poisoned/hidden.jsonl", FindingKind::HiddenText),
    ] {
        let missed: Vec<_> = corpus(file)
            .iter()
            .filter(|definition| !scan(definition).iter().any(|finding| finding.kind == kind))
            .map(name)
            .collect();
        assert_eq!(missed, [""; 0], "{file}");
    }
}

#[test]
fn no_harmless_definition_is_suspicious() {
    for definition in corpus("harmless/definitions.jsonl") {
        assert_eq!(scan(&definition), [], "{}", name(&definition));
    }
}

fn imitating(name: &str, other: &str) -> Vec<Finding> {
    ToolNames::new(&[ToolId::new("b", other)]).imitations(&ToolId::new("a", name))
}

#[test]
fn a_name_that_resembles_another_is_an_imitation() {
    for (name, other) in [
        ("send_emai1", "send_email"),
        ("read_fi1e", "read_file"),
        ("reaad_file", "read_file"),
        ("raed_file", "read_file"),
        ("serach_web", "search_web"),
        ("create_issuse", "create_issue"),
    ] {
        let found = imitating(name, other);
        assert_eq!(found.len(), 1, "{name}, {other}: {found:?}");
        assert_eq!(found[0].kind, FindingKind::Imitation);
    }
    let found = imitating("r\u{435}ad_file", "read_file");
    assert_eq!(found.len(), 2, "it is not ASCII, and looks like another: {found:?}");
}

#[test]
fn ordinary_differences_between_names_are_allowed() {
    for (name, other) in [
        ("read_file", "read_file"),
        ("read_file", "read-file"),
        ("readFile", "readfile"),
        ("list_page", "list_pages"),
        ("get_tags", "get_tag"),
        ("get_item", "set_item"),
        ("step_1_run", "step_2_run"),
        ("move_file", "move_files"),
        ("add", "and"),
        ("search_notes", "search_votes_of_all"),
    ] {
        assert_eq!(imitating(name, other), [], "{name}, {other}");
    }
    let own = [ToolId::new("a", "read_file")];
    let found = ToolNames::new(&own).imitations(&ToolId::new("a", "raed_file"));
    assert_eq!(found, [], "a server may misspell its own");
}

#[test]
fn a_finding_shows_invisible_text_in_part() {
    let text = |description: &str| {
        RawJson::parse(serde_json::json!({"name": "t", "description": description}).to_string()).unwrap()
    };
    let found = scan(&text("Adds\u{200b} numbers"));
    assert_eq!(found[0].path, "/description");
    assert_eq!(found[0].excerpt, r"Adds\u{200b} numbers");
    let long = scan(&text(&format!("Do not tell the user {}", "x".repeat(5000))));
    assert!(long.iter().all(|finding| finding.excerpt.len() <= 80), "{long:?}");
    let many = scan(
        &RawJson::parse(
            serde_json::json!({"name": "t", "inputSchema": vec!["do not tell the user"; 1000]}).to_string(),
        )
        .unwrap(),
    );
    assert_eq!(many.len(), 32);
}
