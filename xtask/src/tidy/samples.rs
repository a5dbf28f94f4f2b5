//! Samples of code in documents are parts of files: a block names its file, as in `rust from=a/src/b.rs`, and the file holds its lines.

use super::Finding;
use crate::tree::{File, Tree};

/// The documents in which every block names a file.
const ALL_FROM_FILES: &[&str] = &["CONTRIBUTING.md"];
/// Stands before the path, in the line that opens a block.
const FROM: &str = "from=";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let findings = |file: &File| {
        let problems = blocks(&file.text).into_iter().filter_map(|block| {
            problem(tree, &file.path, &block).map(|what| Finding::on_line(&file.path, block.line, what))
        });
        problems.collect::<Vec<_>>()
    };
    tree.markdown().flat_map(findings).collect()
}

fn problem(tree: &Tree, document: &str, block: &Block<'_>) -> Option<String> {
    let Some(path) = block.head.split_whitespace().find_map(|word| word.strip_prefix(FROM)) else {
        let must_name_one = ALL_FROM_FILES.contains(&document);
        return must_name_one
            .then(|| format!("a sample without a file: expected `{FROM}PATH` after its language"));
    };
    let Some(source) = tree.file(path) else {
        return Some(format!("a sample of `{path}`, which is not a file"));
    };
    let source: Vec<_> = source.text.lines().map(str::trim).collect();
    let is_part = source.windows(block.lines.len().max(1)).any(|part| part == block.lines);
    (!is_part).then(|| format!("a sample that differs from `{path}`"))
}

/// A fenced block.
struct Block<'a> {
    /// The line that opens it, from 1.
    line: usize,
    /// The text behind the fence: the language, and the file.
    head: &'a str,
    /// The lines, without the blanks around them: a sample may be indented less than its file.
    lines: Vec<&'a str>,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let (mut blocks, mut open) = (Vec::new(), None::<Block<'_>>);
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        match (line.strip_prefix("```"), open.as_mut()) {
            (Some(head), None) => open = Some(Block { line: at + 1, head, lines: Vec::new() }),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => block.lines.push(line),
            (None, None) => {}
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: (&str, &str) = ("a/src/b.rs", "fn a() {\n    b();\n    c();\n}\n");

    fn check_page(path: &str, page: &str) -> Vec<String> {
        check(&Tree::of(&[(path, page), SOURCE])).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_sample_that_its_file_holds_passes_at_any_indentation() {
        for sample in ["fn a() {\n    b();\n    c();\n}", "b();\nc();", "        c();"] {
            let page = format!("# A\n```rust from=a/src/b.rs\n{sample}\n```\n");
            assert_eq!(check_page("docs/a.md", &page), [] as [&str; 0], "{sample}");
        }
    }

    #[test]
    fn a_sample_that_its_file_does_not_hold_is_found() {
        for sample in ["b();\nd();", "fn a() {\n}", "b(); c();", ""] {
            let page = format!("# A\n```rust from=a/src/b.rs\n{sample}\n```\n");
            let expected = "docs/a.md:2: a sample that differs from `a/src/b.rs`";
            assert_eq!(check_page("docs/a.md", &page), [expected], "{sample}");
        }
        let page = "```rust from=a/src/c.rs\nb();\n```\n";
        assert_eq!(
            check_page("docs/a.md", page),
            ["docs/a.md:1: a sample of `a/src/c.rs`, which is not a file"]
        );
    }

    #[test]
    fn only_the_listed_documents_must_name_a_file_for_each_sample() {
        let page = "```rust\nb();\n```\n";
        assert_eq!(check_page("docs/a.md", page), [] as [&str; 0]);
        let expected = "CONTRIBUTING.md:1: a sample without a file: expected `from=PATH` after its language";
        assert_eq!(check_page("CONTRIBUTING.md", page), [expected]);
    }
}
