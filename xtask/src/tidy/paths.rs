//! No file names a folder that other checkouts do not have.

use super::Finding;
use crate::tree::{File, Tree};

/// A folder next to the checkout, which only the checks may read.
const OUTSIDE: &str = concat!("..", "/shared");
const CHECKS: &[&str] = &["xtask/", ".ci/"];
const MACHINE: &[&str] = &[concat!("/wo", "rk/"), concat!("/ro", "ot/")];

pub(super) fn outside_folders(tree: &Tree) -> Vec<Finding> {
    let crates = tree.own().filter(|file| !CHECKS.iter().any(|folder| file.path.starts_with(folder)));
    crates.flat_map(|file| lines_with(file, OUTSIDE)).collect()
}

pub(super) fn machine_paths(tree: &Tree) -> Vec<Finding> {
    tree.own().flat_map(|file| MACHINE.iter().flat_map(|path| lines_with(file, path))).collect()
}

/// Finds lines with a path that begins there: `a/work/b` is a relative path or address elsewhere.
fn lines_with<'a>(file: &'a File, path: &'static str) -> impl Iterator<Item = Finding> + 'a {
    let goes_on = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| file.text.as_bytes().get(at));
        before.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_-.}".contains(byte))
    };
    let places = file.text.match_indices(path).map(|(at, _)| at).filter(move |at| !goes_on(*at));
    places.map(move |at| Finding::on_line(&file.path, file.line_at(at), format!("names `{path}`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_checks_name_siblings_of_the_checkout() {
        let text = format!("a\nread(\"{OUTSIDE}/spec\")");
        let tree = Tree::of(&[("mgp-types/src/a.rs", &text), ("xtask/src/a.rs", &text), (".ci/run", &text)]);
        assert_eq!(
            outside_folders(&tree),
            [Finding::on_line("mgp-types/src/a.rs", 2, format!("names `{OUTSIDE}`"))]
        );
    }

    #[test]
    fn a_machine_s_path_is_found_but_not_inside_a_longer_path() {
        for path in MACHINE {
            let tree = Tree::of(&[
                ("a.md", &format!("see {path}main")),
                ("b.md", &format!("https://x.org{path}main")),
            ]);
            assert_eq!(machine_paths(&tree), [Finding::on_line("a.md", 1, format!("names `{path}`"))]);
        }
    }
}
