//! The rules on the words that a source file may contain.

use super::table::{Place, WordRule};
use crate::rust_code::{RustCode, find_word};
use crate::tree::{File, Tree};

/// Finds words outside their places, and places that do not need their permission.
pub(super) fn words(tree: &Tree, rules: &[WordRule]) -> Vec<String> {
    let sources: Vec<_> = tree
        .rust()
        .filter(|file| is_shipped(file))
        .map(|file| (file, RustCode::parse(&file.text).without_tests()))
        .collect();
    let mut findings = Vec::new();
    for rule in rules {
        let mut needed: Vec<&str> = Vec::new();
        for (file, code) in sources.iter().filter(|(file, _)| is_within(file, rule)) {
            let hits: Vec<_> = rule.words.iter().flat_map(|word| hits(code, word)).collect();
            let Some(place) = rule.places.iter().find(|place| stands_in(file, place)) else {
                findings.extend(hits.iter().map(|(at, word)| {
                    format!("{}:{}: names `{word}`, but {}", file.path, file.line_at(*at), rule.why)
                }));
                continue;
            };
            if !hits.is_empty() {
                needed.push(place.0);
            }
        }
        let is_gone = |folder: &&&str| !sources.iter().any(|(file, _)| starts_with(&file.path, folder));
        findings
            .extend(rule.within.iter().filter(is_gone).map(|folder| format!("{folder} holds no sources")));
        let idle = rule.places.iter().filter(|place| !needed.contains(&place.0));
        findings.extend(
            idle.map(|(path, _)| format!("{path} needs no permission for `{}`", rule.words.join("`, `"))),
        );
    }
    findings
}

/// Returns `true` for code that runs at a user's: no tests, no examples, no xtask.
pub(super) fn is_shipped(file: &File) -> bool {
    !file.is_test() && !file.path.starts_with("xtask/") && file.path.contains("/src/")
}

fn is_within(file: &File, rule: &WordRule) -> bool {
    rule.within.is_empty() || rule.within.iter().any(|folder| starts_with(&file.path, folder))
}

fn stands_in(file: &File, place: &Place) -> bool {
    starts_with(&file.path, place.0)
}

pub(super) fn starts_with(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Finds a word. A word in quotes is a literal; any other is code, outside literals.
fn hits(code: &RustCode, word: &'static str) -> Vec<(usize, &'static str)> {
    let text = if word.starts_with('"') { &code.text } else { &code.bare };
    let plain = find_word(text, word).chain(in_groups(text, word));
    plain.map(|at| (at, word)).collect()
}

/// Finds the places at which `use a::{x, b::c};` names `a::b`.
fn in_groups(text: &str, word: &str) -> Vec<usize> {
    let Some((outer, inner)) = word.split_once("::").filter(|(_, inner)| !inner.is_empty()) else {
        return Vec::new();
    };
    let open = format!("{outer}::{{");
    let mut found = Vec::new();
    for start in find_word(text, &open) {
        let from = start + open.len();
        let mut depth = 1_usize;
        let mut entry = from;
        for (at, letter) in text.get(from..).unwrap_or_default().char_indices() {
            let ends = matches!(letter, ',' | '}') && depth == 1;
            if ends {
                let name = text.get(entry..from + at).unwrap_or_default().trim();
                if name.strip_prefix(inner).is_some_and(|rest| !rest.starts_with(is_name)) {
                    found.push(
                        entry + text.get(entry..).map_or(0, |rest| rest.len() - rest.trim_start().len()),
                    );
                }
                entry = from + at + 1;
            }
            match letter {
                '{' => depth += 1,
                '}' if depth == 1 => break,
                '}' => depth -= 1,
                _ => {}
            }
        }
    }
    found
}

fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::table::WORDS;

    const RULES: &[WordRule] = &[WordRule {
        words: &["CallTool", "\"tools/call\""],
        within: &["sdk/src"],
        places: &[("sdk/src/kernel/dispatch.rs", "the one")],
        why: "every way goes through the pipeline",
    }];
    const DISPATCH: (&str, &str) = ("sdk/src/kernel/dispatch.rs", "send::<CallTool>()");

    #[test]
    fn a_second_sender_is_found_by_type_and_by_name() {
        let tree = Tree::of(&[
            DISPATCH,
            ("sdk/src/health.rs", "// CallTool\nsend::<CallTool>()"),
            ("sdk/src/kernel/dispatch_more.rs", "send(\"tools/call\")"),
        ]);
        assert_eq!(
            words(&tree, RULES),
            [
                "sdk/src/health.rs:2: names `CallTool`, but every way goes through the pipeline",
                "sdk/src/kernel/dispatch_more.rs:1: names `\"tools/call\"`, but every way goes through the pipeline",
            ]
        );
    }

    #[test]
    fn tests_comments_other_crates_and_longer_names_are_free() {
        let tree = Tree::of(&[
            DISPATCH,
            (
                "sdk/src/a.rs",
                "/// CallTool\nCallToolParams;\n#[cfg(test)]\nmod tests { fn a() { CallTool } }",
            ),
            ("sdk/tests/a.rs", "CallTool"),
            ("server/src/a.rs", "CallTool"),
            ("xtask/src/a.rs", "CallTool"),
        ]);
        assert_eq!(words(&tree, RULES), [] as [String; 0]);
    }

    #[test]
    fn a_file_that_does_not_use_its_permission_is_found() {
        let tree = Tree::of(&[("sdk/src/kernel/dispatch.rs", "nothing()")]);
        let finding = "sdk/src/kernel/dispatch.rs needs no permission for `CallTool`, `\"tools/call\"`";
        assert_eq!(words(&tree, RULES), [finding]);
    }

    #[test]
    fn the_session_of_a_server_is_below_client_and_kernel() {
        let client = "mgp-client-sdk/src/client/a.rs";
        let session = "mgp-client-sdk/src/session/a.rs";
        let kernel = "mgp-kernel/src/a.rs";
        for (path, text, is_refused) in [
            (session, "use crate::{client::Client, left_out};", true),
            (session, "match era { Era::Stateless => 1 }", false),
            (client, "use crate::session::ServerSession;", false),
            (client, "match era { Era::Stateless => 1 }", true),
            (kernel, "use mgp_client_sdk::client::Limits;", true),
            (kernel, "use mgp_client_sdk::{client::Limits, session::ServerSession};", true),
            (kernel, "use mgp_client_sdk::session::ServerSession;", false),
            (kernel, "is(Era::Initialize)", true),
            ("mgp-client-sdk/src/client/builder.rs", "era: Option<EraChoice>", false),
            ("mgp-client-sdk/src/client/builder.rs", "EraChoice::AUTO", true),
            ("mgp-client-sdk/src/client/connect.rs", "era: Option<EraChoice>", true),
        ] {
            let findings = words(&Tree::of(&[(path, text)]), WORDS);
            let named = findings.iter().any(|finding| finding.starts_with(&format!("{path}:1: names")));
            assert_eq!(named, is_refused, "{path}: {text}: {findings:?}");
        }
    }

    #[test]
    fn a_typemap_in_a_gate_and_a_missing_folder_of_gates_are_found() {
        let rule = WORDS.iter().find(|rule| rule.words == [".ext"]).unwrap();
        let gate = |folder: &str| match folder.strip_suffix(".rs") {
            Some(_) => folder.to_owned(),
            None => format!("{folder}/judge.rs"),
        };
        for (text, found) in [
            ("call.ext.get::<Granted>()", 1),
            ("let once = call\n    .ext\n    .remove::<Once>();", 1),
            ("call.extent; call.principal; // call.ext", 0),
        ] {
            let files: Vec<_> = rule.within.iter().map(|folder| (gate(folder), text)).collect();
            let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
            let gates = files.len();
            assert_eq!(words(&Tree::of(&files), std::slice::from_ref(rule)).len(), found * gates, "{text}");
            let findings = words(&Tree::of(&files[1..]), std::slice::from_ref(rule));
            assert!(findings.contains(&format!("{} holds no sources", rule.within[0])), "{findings:?}");
        }
    }

    #[test]
    fn a_path_is_found_inside_a_group_of_imports() {
        let rules = &[WordRule { words: &["std::fs"], within: &[], places: &[], why: "no files" }];
        let text = "use std::{\n    path::{Path, fs},\n    fs::{self, File},\n};\nuse std::{fsx, io::fs};";
        assert_eq!(
            words(&Tree::of(&[("a/src/b.rs", text)]), rules),
            ["a/src/b.rs:3: names `std::fs`, but no files"]
        );
        let text = "use std::{path::Path, fs};";
        assert_eq!(
            words(&Tree::of(&[("a/src/b.rs", text)]), rules),
            ["a/src/b.rs:1: names `std::fs`, but no files"]
        );
    }
}
