//! The names of types: nouns, never bare participles or question words.

use super::Finding;
use crate::{
    rust_code::RustCode,
    tree::{File, Tree},
};

/// Words that end like participles, but are nouns or terms of the field.
const NOUNS: &[&str] = &[
    "Binding", "Finding", "Framing", "Greeting", "Incoming", "Need", "Outgoing", "Parking", "Ring",
    "Sampling", "Setting", "Standing", "Warning",
];

/// Irregular participles, question words, and other words that are not names.
const NO_NAMES: &[&str] = &[
    "At",
    "Begins",
    "Begun",
    "Both",
    "Everything",
    "Found",
    "Given",
    "Gone",
    "Got",
    "Heard",
    "Hears",
    "Held",
    "How",
    "In",
    "Kept",
    "Known",
    "Left",
    "Lost",
    "Made",
    "Means",
    "Met",
    "Nothing",
    "Of",
    "Only",
    "Others",
    "Over",
    "Ran",
    "Replaces",
    "Said",
    "Says",
    "Seen",
    "Sent",
    "Serves",
    "Shown",
    "Speaks",
    "Stands",
    "Taken",
    "Takes",
    "Told",
    "Understands",
    "Until",
    "What",
    "When",
    "Where",
    "Which",
    "Who",
    "Whose",
    "Why",
    "Without",
    "Written",
];

/// The places that this rule does not apply to yet; tests of wrong code are excluded permanently.
const EXCLUDED: &[&str] = &["xtask/src/layers/"];

/// Finds types with such a name.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let named = tree.rust().filter(|file| !EXCLUDED.iter().any(|folder| file.path.starts_with(folder)));
    named.flat_map(types).collect()
}

fn types(file: &File) -> Vec<Finding> {
    let code = RustCode::parse(&file.text).bare;
    let lines = code.lines().enumerate();
    lines
        .filter_map(|(at, line)| Some((at, type_name(line)?)))
        .filter(|(_, name)| is_no_noun(name))
        .map(|(at, name)| {
            Finding::on_line(&file.path, at + 1, format!("the type {name} is not named by a noun"))
        })
        .collect()
}

/// Returns the name of the type that a line declares. An associated type has a name from its trait.
fn type_name(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace().skip_while(|word| word.starts_with("pub") || word.ends_with(')'));
    let keyword = words.next()?;
    let declares = matches!(keyword, "struct" | "enum" | "trait" | "union")
        || keyword == "type" && !line.starts_with(char::is_whitespace);
    let name = words.next().filter(|_| declares)?;
    name.split(|c: char| !c.is_alphanumeric()).next()
}

fn is_no_noun(name: &str) -> bool {
    let is_one_word = !name.chars().skip(1).any(char::is_uppercase);
    is_one_word
        && !NOUNS.contains(&name)
        && (NO_NAMES.contains(&name) || name.ends_with("ed") || name.ends_with("ing"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_named_by_a_participle_or_question_word_is_found() {
        let tree = Tree::of(&[(
            "a/src/b.rs",
            "struct Listed;\npub(crate) enum Which {}\n    pub(in crate::a) struct Waiting(u8);\ntrait Found {}\ntype Known = u8;\n",
        )]);
        let names = ["Listed", "Which", "Waiting", "Found", "Known"];
        let found = names.iter().enumerate().map(|(at, name)| {
            Finding::on_line("a/src/b.rs", at + 1, format!("the type {name} is not named by a noun"))
        });
        assert_eq!(check(&tree), found.collect::<Vec<_>>());
    }

    #[test]
    fn nouns_variants_associated_types_and_comments_pass() {
        let tree = Tree::of(&[(
            "a/src/b.rs",
            "struct Warning;\nstruct ListedTool;\nenum End {\n    Closed,\n}\n// struct Listed;\nimpl A for End {\n    type Listed = u8;\n}\n",
        )]);
        assert_eq!(check(&tree), []);
    }
}
