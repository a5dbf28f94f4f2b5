//! The target of a link of the page: a test of ours, `../../path/file.rs#name`.

use crate::{rust_code::RustCode, tree::Tree};

/// Returns the reason why a link does not lead to a test that runs, or `None` if it does.
pub(super) fn wrong(tree: &Tree, target: &str) -> Option<&'static str> {
    let Some((path, name)) = target.split_once('#').filter(|(path, _)| path.ends_with(".rs")) else {
        return Some("leads to no test: expected `../../path/file.rs#name_of_the_test`");
    };
    match tree.file(path.strip_prefix("../../").unwrap_or(path)) {
        None => Some("leads to no file"),
        Some(file) if !has_test(&file.text, name) => Some("leads to no test of its file that runs"),
        Some(_) => None,
    }
}

/// Returns `true` if a file has this function as a test that is not ignored.
fn has_test(source: &str, name: &str) -> bool {
    let code = RustCode::parse(source).text;
    let lines: Vec<_> = code.lines().map(str::trim).collect();
    lines.iter().enumerate().filter(|(_, line)| declared(line) == Some(name)).any(|(at, _)| {
        let above = lines[..at].iter().rev();
        let attributes: Vec<_> = above.take_while(|line| line.is_empty() || line.starts_with("#[")).collect();
        let is_test = |line: &&&str| {
            ["#[test]", "#[tokio::test]", "#[tokio::test("].iter().any(|word| line.starts_with(word))
        };
        attributes.iter().any(is_test) && !attributes.iter().any(|line| line.starts_with("#[ignore"))
    })
}

/// Returns the name of the function that a line begins.
fn declared(line: &str) -> Option<&str> {
    let line = line.strip_prefix("async ").unwrap_or(line);
    line.strip_prefix("fn ")?.split(['(', '<']).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_function_that_runs_as_a_test_is_one() {
        let source = "
            #[test]
            fn plain() {}
            #[cfg(unix)]
            // Why it is so.
            #[tokio::test(start_paused = true)]
            async fn with_attributes() {}
            fn not_a_test() {}
            #[test]
            #[ignore = \"slow\"]
            fn left_out() {}
            // #[test]
            fn commented() {}
            #[test]
            fn plain_too(number in 0..9) {}
        ";
        for (name, expected) in [
            ("plain", true),
            ("with_attributes", true),
            ("plain_too", true),
            ("not_a_test", false),
            ("left_out", false),
            ("commented", false),
            ("plai", false),
            ("", false),
        ] {
            assert_eq!(has_test(source, name), expected, "{name}");
        }
    }

    #[test]
    fn a_link_names_a_test_of_a_file() {
        let tree = Tree::of(&[("tests/a.rs", "#[test]\nfn a() {}\n"), ("docs/a.md", "# a")]);
        for (target, finding) in [
            ("../../tests/a.rs", "leads to no test: expected"),
            ("a.md#a", "leads to no test: expected"),
            ("../../tests/b.rs#a", "leads to no file"),
            ("../../tests/a.rs#b", "leads to no test of its file"),
        ] {
            assert!(wrong(&tree, target).is_some_and(|why| why.starts_with(finding)), "{target}");
        }
        assert_eq!(wrong(&tree, "../../tests/a.rs#a"), None);
    }
}
