//! The first words of doc comments: a verb or a noun, as the standard library writes them, and a full stop at the end.

use super::Finding;
use crate::tree::{File, Tree};

/// The words that open a question, which doc lines must not begin with.
const INTERROGATIVES: &[&str] =
    &["What", "Who", "Whose", "Whom", "Which", "How", "Where", "When", "Whether", "Why"];

/// The words that follow a verb, but not a plural noun.
const OBJECTS: &[&str] = &["a", "an", "the", "each", "every", "one", "its", "whether", "until", "how"];

/// The keywords of items that are types.
const TYPES: &[&str] = &["struct", "enum", "trait", "type", "union"];

/// Finds doc lines that begin with an interrogative.
pub(super) fn interrogatives(tree: &Tree) -> Vec<Finding> {
    tree.rust().flat_map(|file| docs_of(file).into_iter().flat_map(|doc| asking(file, &doc))).collect()
}

/// Finds docs of public items and of modules without a full stop after the first sentence.
pub(super) fn full_stops(tree: &Tree) -> Vec<Finding> {
    let endless = |file: &File| {
        let docs = docs_of(file).into_iter().filter(|doc| doc.is_public && !doc.ends_its_first_sentence());
        docs.map(|doc| Finding::on_line(&file.path, doc.line, "its first sentence has no full stop"))
            .collect::<Vec<_>>()
    };
    tree.rust().flat_map(endless).collect()
}

/// Finds docs of types that begin with a verb and its object, such as "Holds a": a type is a thing.
pub(super) fn verbs(tree: &Tree) -> Vec<Finding> {
    let verb = |doc: &Doc<'_>| {
        let mut words = doc.lines.first()?.split_whitespace().skip_while(|word| word.starts_with('§'));
        let (first, second) = (words.next()?, words.next()?);
        let is_verb =
            first.chars().all(char::is_alphabetic) && first.ends_with('s') && OBJECTS.contains(&second);
        (doc.is_type && is_verb).then(|| first.to_owned())
    };
    let found = |file: &File| {
        let docs = docs_of(file).into_iter().filter_map(|doc| Some((doc.line, verb(&doc)?)));
        docs.map(|(line, verb)| {
            Finding::on_line(&file.path, line, format!("a type's doc begins with {verb:?}"))
        })
        .collect::<Vec<_>>()
    };
    tree.rust().flat_map(found).collect()
}

/// The doc lines of one item.
struct Doc<'a> {
    /// The first line, counted from 1.
    line: usize,
    lines: Vec<&'a str>,
    is_public: bool,
    is_type: bool,
}

impl Doc<'_> {
    fn ends_its_first_sentence(&self) -> bool {
        let summary = self.lines.iter().take_while(|line| !line.trim().is_empty());
        // A colon leads to a list, a bar ends a table, and a fence an example.
        summary.last().is_none_or(|line| line.trim_end().ends_with(['.', ':', '!', '?', '|', '`']))
    }
}

fn docs_of(file: &File) -> Vec<Doc<'_>> {
    let (mut docs, mut open): (Vec<Doc<'_>>, Option<Doc<'_>>) = (Vec::new(), None);
    for (at, line) in file.text.lines().enumerate() {
        let text = line.trim_start();
        let inner = text.strip_prefix("//!");
        if let Some(said) = inner.or_else(|| text.strip_prefix("///").filter(|rest| !rest.starts_with('/'))) {
            let doc = open.get_or_insert_with(|| Doc {
                line: at + 1,
                lines: Vec::new(),
                is_public: inner.is_some(),
                is_type: false,
            });
            doc.lines.push(said.strip_prefix(' ').unwrap_or(said));
        } else if let Some(mut doc) = open.take() {
            if text.starts_with('#') {
                open = Some(doc);
                continue;
            }
            doc.is_public |= text.starts_with("pub ");
            doc.is_type = text
                .split(' ')
                .find(|word| !word.starts_with("pub"))
                .is_some_and(|word| TYPES.contains(&word));
            docs.push(doc);
        }
    }
    docs.extend(open);
    docs
}

fn asking(file: &File, doc: &Doc<'_>) -> Vec<Finding> {
    let (mut found, mut is_code) = (Vec::new(), false);
    for (below, line) in doc.lines.iter().enumerate() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code && let Some(word) = first_word(line).filter(|word| INTERROGATIVES.contains(word)) {
            found.push(Finding::on_line(
                &file.path,
                doc.line + below,
                format!("a doc line begins with {word:?}"),
            ));
        }
    }
    found
}

fn first_word(line: &str) -> Option<&str> {
    line.trim_start().split(|c: char| !c.is_alphanumeric()).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doc_line_that_begins_with_an_interrogative_is_found() {
        let tree = Tree::of(&[(
            "a/src/b.rs",
            "//! What it is.\n\n/// Returns it.\n/// Whether so.\n/// ```\n/// Whose();\n/// ```\n#[must_use]\npub fn b() {} // How\n/// Whatever.\nfn c() {}\n",
        )]);
        let on = |line, word: &str| {
            Finding::on_line("a/src/b.rs", line, format!("a doc line begins with {word:?}"))
        };
        assert_eq!(interrogatives(&tree), [on(1, "What"), on(4, "Whether")]);
    }

    #[test]
    fn the_doc_of_a_type_that_begins_with_a_verb_is_found() {
        let text = "/// Holds the keys.\n#[derive(Debug)]\npub struct A;\n/// §3 Asks a host.\ntrait B {}\n\
            /// Keys of a peer.\npub enum C {}\n/// Returns the keys.\npub fn d() {}\n";
        let on = |line, word: &str| {
            Finding::on_line("a/src/b.rs", line, format!("a type's doc begins with {word:?}"))
        };
        assert_eq!(verbs(&Tree::of(&[("a/src/b.rs", text)])), [on(1, "Holds"), on(4, "Asks")]);
    }

    #[test]
    fn a_public_doc_without_a_full_stop_is_found() {
        let tree = Tree::of(&[(
            "a/src/b.rs",
            "//! A module.\n\n/// Returns it\n#[must_use]\npub fn b() {}\n/// A list:\n/// - one\n\n/// Ends\n/// here.\n///\n/// more\npub fn c() {}\n/// private\nfn d() {}\n",
        )]);
        let found = Finding::on_line("a/src/b.rs", 3, "its first sentence has no full stop");
        assert_eq!(full_stops(&tree), [found]);
    }
}
