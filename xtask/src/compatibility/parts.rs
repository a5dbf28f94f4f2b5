//! The parts of the project, as the pages name them.

use crate::tree::Tree;

/// The parts that are not named after a crate. Any other part has the name of its crate.
const PARTS: &[&str] = &["kernel", "server SDK", "client SDK", "program"];

/// Reports each unknown name.
pub(super) fn check(tree: &Tree, parts: &[&str], found: &mut impl FnMut(String)) {
    for part in parts {
        let is_crate = || tree.paths.iter().any(|path| *path == format!("{part}/Cargo.toml"));
        if !PARTS.contains(part) && !is_crate() {
            found(format!("{part:?}: expected a crate or one of {}", PARTS.join(", ")));
        }
    }
}
