//! The rule on words that are being removed: the number of files that name them only falls.

use std::cmp::Ordering;

use super::sources::{is_shipped, starts_with};
use super::table::CountedWords;
use crate::rust_code::{RustCode, find_word};
use crate::tree::{File, Tree};

/// Finds words that more files name than the table says, and rows of the table that say too many.
pub(super) fn check(tree: &Tree, rules: &[CountedWords]) -> Vec<String> {
    let mut findings = Vec::new();
    for rule in rules {
        let is_within = |file: &&File| rule.within.iter().any(|folder| starts_with(&file.path, folder));
        let sources: Vec<_> = tree.rust().filter(|file| is_shipped(file)).filter(is_within).collect();
        if sources.is_empty() {
            findings.push(format!("{} hold no sources", rule.within.join(", ")));
            continue;
        }
        let naming = sources.iter().filter(|file| names_any(file, rule.words));
        let naming: Vec<_> = naming.map(|file| file.path.as_str()).collect();
        let words = rule.words.join("`, `");
        let (count, most) = (naming.len(), rule.files);
        match count.cmp(&most) {
            Ordering::Greater => findings.push(format!(
                "{count} files name `{words}`, at most {most} may, because {}: {}",
                rule.why,
                naming.join(", ")
            )),
            Ordering::Less => findings.push(format!(
                "{count} files name `{words}`, fewer than the {most} of the table: lower its row to {count}"
            )),
            Ordering::Equal => {}
        }
    }
    findings
}

fn names_any(file: &File, words: &[&str]) -> bool {
    let code = RustCode::parse(&file.text).without_tests().bare;
    // A chain of calls may be broken before each of its dots.
    let code = code.split('.').map(str::trim).collect::<Vec<_>>().join(".");
    words.iter().any(|word| find_word(&code, word).next().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &[CountedWords] = &[CountedWords {
        words: &["Core", ".ext.get"],
        within: &["kernel/src", "sdk/src/kernel"],
        files: 2,
        why: "a function takes what it uses",
    }];

    const TWO: [(&str, &str); 5] = [
        ("sdk/src/kernel/a.rs", "use crate::kernel::boot::core::{Core, left_out};"),
        ("sdk/src/kernel/b.rs", "call\n    .ext\n    .get::<u8>()"),
        ("sdk/src/kernel/c.rs", "// Core\nCoreMap; a.ext.get_mut();\n#[cfg(test)]\nmod a { use b::Core; }"),
        ("sdk/src/kernel/tests/d.rs", "Core"),
        ("sdk/src/client.rs", "Core"),
    ];

    #[test]
    fn a_file_more_is_found_and_as_many_as_the_table_says_pass() {
        assert_eq!(check(&Tree::of(&TWO), ROWS), [] as [String; 0]);
        let three = Tree::of(&[&TWO[..], &[("sdk/src/kernel/e.rs", "fn a(core: &Core) {}")]].concat());
        assert_eq!(
            check(&three, ROWS),
            ["3 files name `Core`, `.ext.get`, at most 2 may, because a function takes what it uses: \
                sdk/src/kernel/a.rs, sdk/src/kernel/b.rs, sdk/src/kernel/e.rs"]
        );
    }

    #[test]
    fn a_file_fewer_lowers_the_row() {
        assert_eq!(
            check(&Tree::of(&TWO[1..]), ROWS),
            ["1 files name `Core`, `.ext.get`, fewer than the 2 of the table: lower its row to 1"]
        );
    }

    #[test]
    fn folders_that_are_gone_are_found() {
        assert_eq!(check(&Tree::of(&[]), ROWS), ["kernel/src, sdk/src/kernel hold no sources"]);
    }
}
