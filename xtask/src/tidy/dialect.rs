//! Words and phrases to avoid in comments, messages and documents, which are written in the idiom of the standard library.

use super::Finding;
use crate::{
    rust_code::{NonCode, RustCode, non_code},
    tree::{File, Tree},
};
use std::ops::Range;

/// The list of the places where the words are right.
const ALLOWED: &str = "xtask/src/tidy/dialect_allowed.txt";

/// Words to avoid. `tell` and `alone` have exceptions, see [`phrase_at`].
const WORDS: &[&str] = &["beside", "bring", "brings", "hear", "hears", "whoever", "wish", "wishes"];

/// Phrases to avoid.
const PHRASES: &[&[&str]] = &[
    &["came", "the", "error"],
    &["in", "place", "of"],
    &["that", "there", "are", "not"],
    &["that", "there", "is", "not"],
    &["which", "there", "is", "not"],
];

/// Words between a form of "to be" and a noun, which make it a comparison.
const COMPARISONS: &[&str] =
    &["better", "different", "fewer", "greater", "larger", "less", "longer", "more", "smaller", "worse"];

/// Words that are not nouns, after which `alone` is right.
const NOT_NOUNS: &[&str] = &[
    "and", "are", "be", "is", "leave", "leaves", "left", "let", "lets", "not", "or", "stand", "stands",
    "stood",
];

/// The number of words within which `apart` follows a form of `tell`.
const NEAR: usize = 4;

/// The least number of words in a literal that is a message.
const MESSAGE: usize = 3;

/// Finds words and phrases to avoid, and lines of the list of allowed places that allow nothing.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let list = tree.file(ALLOWED).map_or("", |file| file.text.as_str());
    let mut findings = Vec::new();
    let mut allowances = Vec::new();
    for (number, line) in
        (1..).zip(list.lines()).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
    {
        match Allowance::parse(number, line) {
            Some(allowance) => allowances.push(allowance),
            None => {
                let what = "expected `PATH: FRAGMENT`";
                findings.push(Finding::on_line(ALLOWED, number, what));
            }
        }
    }
    for file in tree.files.iter().filter(|file| has_prose(file)) {
        for (at, phrase) in hits(file) {
            let number = file.line_at(at);
            let line = file.text.lines().nth(number - 1).unwrap_or_default();
            let mut is_allowed = false;
            for allowance in allowances.iter_mut().filter(|allowance| allowance.covers(&file.path, line)) {
                allowance.is_used = true;
                is_allowed = true;
            }
            if !is_allowed {
                let what = format!("{phrase:?}: expected the idiom of the standard library");
                findings.push(Finding::on_line(&file.path, number, what));
            }
        }
    }
    let unused = allowances.iter().filter(|allowance| !allowance.is_used);
    findings.extend(unused.map(|allowance| {
        let what = format!("allows nothing in {}: remove the line", allowance.path);
        Finding::on_line(ALLOWED, allowance.line, what)
    }));
    findings
}

/// A line of the list.
#[derive(Debug)]
struct Allowance<'a> {
    line: usize,
    path: &'a str,
    /// A part of the line whose words are right.
    fragment: &'a str,
    is_used: bool,
}

impl<'a> Allowance<'a> {
    fn parse(line: usize, text: &'a str) -> Option<Self> {
        let (path, fragment) = text.split_once(": ")?;
        Some(Self { line, path, fragment, is_used: false })
    }

    fn covers(&self, path: &str, line: &str) -> bool {
        path == self.path && line.contains(self.fragment)
    }
}

/// Returns whether the rule applies to a file: sources without those of tests, and the documents for readers of the repository.
fn has_prose(file: &File) -> bool {
    let is_page =
        file.path.strip_prefix("docs/").is_some_and(|page| page.ends_with(".md") && !page.contains('/'));
    let is_source = file.path.ends_with(".rs") && !file.is_test();
    is_page || is_source || ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].contains(&&*file.path)
}

/// Returns the words and phrases to avoid in a file, with their offsets.
fn hits(file: &File) -> Vec<(usize, String)> {
    let whole = 0..file.text.len();
    let passages = if file.path.ends_with(".rs") { passages(&file.text) } else { vec![whole] };
    let of_passage = |passage: Range<usize>| {
        let start = passage.start;
        let text = file.text.get(passage).unwrap_or_default();
        phrases(text).into_iter().map(move |(at, phrase)| (start + at, phrase))
    };
    passages.into_iter().flat_map(of_passage).collect()
}

/// Returns the comments and messages of a source outside tests. Comments with only blanks between them are one passage.
fn passages(source: &str) -> Vec<Range<usize>> {
    let tests = RustCode::parse(source).test_items();
    let is_in_test = |range: &Range<usize>| tests.iter().any(|test| test.contains(&range.start));
    let is_blank = |range: Range<usize>| source.get(range).is_some_and(|text| text.trim().is_empty());
    let mut passages: Vec<Range<usize>> = Vec::new();
    let mut follows_comment = false;
    for part in non_code(source) {
        match part {
            NonCode::Comment(range) if !is_in_test(&range) => {
                match passages.last_mut().filter(|last| follows_comment && is_blank(last.end..range.start)) {
                    Some(last) => last.end = range.end,
                    None => passages.push(range),
                }
                follows_comment = true;
            }
            NonCode::Literal(range) if !is_in_test(&range) && is_message(source, &range) => {
                passages.push(range);
                follows_comment = false;
            }
            _ => {}
        }
    }
    passages
}

fn is_message(source: &str, range: &Range<usize>) -> bool {
    let words = words(source.get(range.clone()).unwrap_or_default());
    words.iter().filter(|(_, word)| word.starts_with(char::is_alphabetic)).count() >= MESSAGE
}

/// Returns the words and phrases to avoid in a passage, with their offsets.
fn phrases(passage: &str) -> Vec<(usize, String)> {
    let words = words(passage);
    let lower: Vec<String> = words.iter().map(|(_, word)| word.trim_matches('\'').to_lowercase()).collect();
    let found = |(index, (at, _)): (usize, &(usize, &str))| Some((*at, phrase_at(&lower, index)?));
    words.iter().enumerate().filter_map(found).collect()
}

/// Returns the word or phrase to avoid that begins at an index, if there is one.
fn phrase_at(words: &[String], index: usize) -> Option<String> {
    let word = |index: usize| words.get(index).map_or("", String::as_str);
    let before = index.checked_sub(1).map_or("", word);
    let is_apart = || (1..=NEAR).any(|distance| word(index + distance) == "apart");
    let is_noun = |word: &str| word.starts_with(|c: char| c.is_alphanumeric() || "`{".contains(c));
    let is_phrase = |phrase: &&&[&str]| phrase.iter().enumerate().all(|(at, part)| word(index + at) == *part);
    if let Some(phrase) = PHRASES.iter().find(is_phrase) {
        return Some(phrase.join(" "));
    }
    let length = match word(index) {
        "tell" | "tells" | "told" => usize::from(!is_apart()),
        "alone" => usize::from(is_noun(before) && !NOT_NOUNS.contains(&before)),
        "is" | "are" | "was" | "were" if word(index + 1) == "no" && before != "there" => {
            let next = word(index + 2);
            if is_noun(next) && !COMPARISONS.contains(&next) { 2 } else { 0 }
        }
        other => usize::from(WORDS.contains(&other)),
    };
    (length > 0).then(|| words.get(index..index + length).map(|phrase| phrase.join(" ")))?
}

/// Returns the words and marks of a text, with their offsets. Code, and a placeholder of a message, is one word.
fn words(text: &str) -> Vec<(usize, &str)> {
    let (mut words, mut at) = (Vec::new(), 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let (length, is_gap) = next_word(rest);
        if !is_gap {
            words.push((at, rest.get(..length).unwrap_or(rest)));
        }
        at += length;
    }
    words
}

/// Returns the length of the word, mark or gap that a text begins with, and whether it is a gap.
fn next_word(text: &str) -> (usize, bool) {
    if let Some(sign) = ["//!", "///", "//"].iter().find(|sign| text.starts_with(**sign)) {
        return (sign.len(), true);
    }
    for (start, end) in [("```", "```"), ("`", "`"), ("{", "}")] {
        let Some(inside) = text.strip_prefix(start) else { continue };
        let length = inside.find(end).map(|length| start.len() + length + end.len());
        // A mark without its end does not hide the next paragraph.
        let is_near =
            |length: &usize| start == "```" || !text.get(..*length).unwrap_or(text).contains("\n\n");
        if let Some(length) = length.filter(is_near) {
            return (length, false);
        }
    }
    let is_word = |c: char| c.is_alphanumeric() || "_'-".contains(c);
    let Some(first) = text.chars().next() else { return (text.len(), true) };
    if is_word(first) {
        return (text.find(|c| !is_word(c)).unwrap_or(text.len()), false);
    }
    // An escape such as `\n` ends a line of a message; a backslash before a line break does not.
    let escaped = text.strip_prefix('\\').and_then(|rest| rest.chars().next()).filter(|c| !c.is_whitespace());
    if let Some(escaped) = escaped {
        return (1 + escaped.len_utf8(), false);
    }
    (first.len_utf8(), first.is_whitespace() || "/*[]\\".contains(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        check(&Tree::of(&[(path, text)])).iter().map(ToString::to_string).collect()
    }

    fn phrases_of(text: &str) -> Vec<String> {
        phrases(text).into_iter().map(|(_, phrase)| phrase).collect()
    }

    #[test]
    fn each_word_and_phrase_to_avoid_is_found() {
        let cases: [(&str, &[&str]); 5] = [
            ("The host hears of it, and tells others. It was told.", &["hears", "tells", "told"]),
            ("It brings a wish beside the call.", &["brings", "wish", "beside"]),
            ("A text that is no URL, from whoever sent it.", &["is no", "whoever"]),
            ("Texts are no `numbers`, and {it} alone is right.", &["are no", "alone"]),
            (
                "A server that there is not. In place of it came the error -32601.",
                &["that there is not", "in place of", "came the error"],
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(phrases_of(text), expected, "{text}");
        }
    }

    #[test]
    fn the_same_words_are_right_in_other_phrases() {
        for text in [
            "The two cannot be told apart, and a tag tells all of them apart.",
            "There is no server, and the call is no longer kept. It is no different.",
            "The crates stand alone. Alone, it is right. Leave `x` and y: alone.",
            "The shears and the storytellers are beside-the-point.",
            "Write `is no URL` or {told}, and\n```\nbeside\n```\nno code is read.",
        ] {
            assert_eq!(phrases_of(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn comments_and_messages_are_read_but_not_code_and_tests() {
        let source = "//! Reads a text, in\n//! place of a number.\n\nfn tell(beside: &str) {\n    // Not told.\n    \
            let wish = \"a text is no number\";\n    let short = \"told\";\n}\n\n#[cfg(test)]\nmod tests {\n    \
            // Not told.\n}\n";
        let what = ": expected the idiom of the standard library";
        let expected = [(1, "in place of"), (5, "told"), (6, "is no")]
            .map(|(line, phrase)| format!("a/src/b.rs:{line}: {phrase:?}{what}"));
        assert_eq!(found("a/src/b.rs", source), expected);
        assert_eq!(found("a/tests/b.rs", source), Vec::<String>::new());
    }

    #[test]
    fn only_documents_for_readers_are_read() {
        let text = "# A page\n\nIt hears `hears`.\n";
        for path in ["README.md", "CONTRIBUTING.md", "docs/a.md"] {
            assert_eq!(found(path, text).len(), 1, "{path}");
        }
        for path in ["CHANGELOG.md", "docs/decisions/a.md", "a/README.md"] {
            assert_eq!(found(path, text), Vec::<String>::new(), "{path}");
        }
    }

    #[test]
    fn an_allowed_line_is_right_and_a_stale_one_is_reported() {
        let source = ("a/src/b.rs", "// It hears.\n");
        let check_with = |list: &str| check(&Tree::of(&[source, (ALLOWED, list)]));
        assert_eq!(check_with("# A remark\n\na/src/b.rs: It hears\n"), []);
        let hit = Finding::on_line(source.0, 1, "\"hears\": expected the idiom of the standard library");
        for (list, path) in [("a/src/b.rs: It told\n", "a/src/b.rs"), ("a/src: It hears\n", "a/src")] {
            let gone = Finding::on_line(ALLOWED, 1, format!("allows nothing in {path}: remove the line"));
            assert_eq!(check_with(list), [hit.clone(), gone], "{list}");
        }
        let wrong = Finding::on_line(ALLOWED, 1, "expected `PATH: FRAGMENT`");
        assert_eq!(check_with("a/src/b.rs\n"), [wrong, hit]);
    }
}
