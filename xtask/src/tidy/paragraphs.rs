//! Pages are read in short pieces: a paragraph has at most 120 words, and a cell of a table at most 40.

use super::Finding;
use crate::tree::{File, Tree};

const MAX_PARAGRAPH: usize = 120;
const MAX_CELL: usize = 40;

/// The pages outside of `docs/` that are held to the limits.
const PAGES: &[&str] = &["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"];

/// The pages that may be longer, by the beginning of their paths: evidence and records, which are looked up rather than read.
const EXEMPT: &[&str] = &["docs/compatibility/", "docs/decisions/"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.markdown().filter(|file| is_held(&file.path)).flat_map(long_blocks).collect()
}

fn is_held(path: &str) -> bool {
    let is_page = path.starts_with("docs/") || PAGES.contains(&path);
    is_page && !EXEMPT.iter().any(|exempt| path.starts_with(exempt))
}

fn long_blocks(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    for Block { line, words, is_cell } in blocks(&file.text) {
        let (name, most) = if is_cell { ("cell", MAX_CELL) } else { ("paragraph", MAX_PARAGRAPH) };
        if words > most {
            let what = format!("a {name} of {words} words, at most {most}");
            findings.push(Finding::on_line(&file.path, line, what));
        }
    }
    findings
}

/// A paragraph, an item of a list, or a cell of a table.
struct Block {
    /// The line in which it begins, from 1.
    line: usize,
    words: usize,
    is_cell: bool,
}

/// Splits a page into its blocks, without its code and its headings.
fn blocks(text: &str) -> Vec<Block> {
    let (mut blocks, mut open, mut in_code) = (Vec::new(), None::<Block>, false);
    for (line, text) in (1..).zip(text.lines()) {
        let content = text.trim();
        let is_fence = content.starts_with("```");
        in_code ^= is_fence;
        let is_code = in_code || is_fence || (open.is_none() && text.starts_with("    "));
        let is_prose = !is_code && !content.is_empty() && !content.starts_with(['#', '|']);
        if !is_prose || is_item(content) {
            blocks.extend(open.take());
        }
        if is_prose {
            open.get_or_insert(Block { line, words: 0, is_cell: false }).words += words(content);
        } else if !is_code && content.starts_with('|') {
            let row = content.replace("\\|", " ");
            blocks.extend(row.split('|').map(|cell| Block { line, words: words(cell), is_cell: true }));
        }
    }
    blocks.extend(open);
    blocks
}

/// Returns whether a line begins an item of a list.
fn is_item(line: &str) -> bool {
    let rest = line.trim_start_matches(|first: char| first.is_ascii_digit());
    let is_numbered = rest.len() < line.len() && rest.starts_with(". ");
    is_numbered || ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark))
}

/// Counts the words; signs that stand alone are not words.
fn words(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_page(path: &str, text: &str) -> Vec<String> {
        check(&Tree::of(&[(path, text)])).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_paragraph_of_121_words_is_found_and_one_of_120_is_not() {
        let text = format!("# A\n\n{}\n{}", "word\n".repeat(121), "word\n".repeat(120));
        let expected = ["docs/a.md:3: a paragraph of 121 words, at most 120"];
        assert_eq!(check_page("docs/a.md", &text), expected);
    }

    #[test]
    fn a_cell_of_41_words_is_found_and_one_of_40_is_not() {
        let (long, short) = ("word ".repeat(41), "word ".repeat(40));
        let text = format!("| a | b |\n|---|---|\n| {short} | {long} |\n| {short} \\| | {short} |\n");
        assert_eq!(check_page("README.md", &text), ["README.md:3: a cell of 41 words, at most 40"]);
    }

    #[test]
    fn each_item_of_a_list_is_counted_by_itself() {
        let part = "word ".repeat(70);
        let text = format!("{part}\n- {part}\n  more\n1. {part}\n\n{part}\n## {part}\n");
        assert_eq!(check_page("CONTRIBUTING.md", &text), [] as [&str; 0]);
        let text = format!("- {part}\n  {part}\n");
        let expected = ["CONTRIBUTING.md:1: a paragraph of 140 words, at most 120"];
        assert_eq!(check_page("CONTRIBUTING.md", &text), expected);
    }

    #[test]
    fn code_evidence_and_records_may_be_long() {
        let long = "word ".repeat(200);
        let code = format!("```text\n{long}\n| {long} |\n```\n\n    {long}\n");
        assert_eq!(check_page("docs/a.md", &code), [] as [&str; 0]);
        for path in ["docs/compatibility/a.md", "docs/decisions/0001-a.md", "a/README.md"] {
            assert_eq!(check_page(path, &long), [] as [&str; 0], "{path}");
        }
    }
}
