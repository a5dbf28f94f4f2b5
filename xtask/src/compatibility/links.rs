//! The links of a page to tests.

use super::{markdown, shown_by};
use crate::tree::Tree;
use std::collections::{BTreeMap, BTreeSet};

/// The links that a page defines, and the names of those that its cells use.
#[derive(Debug)]
pub(super) struct Links<'a> {
    targets: BTreeMap<&'a str, &'a str>,
    /// The names that are defined more than once. Only the last definition would count.
    repeated: BTreeSet<&'a str>,
    used: BTreeSet<&'a str>,
}

impl<'a> Links<'a> {
    /// Reads the definitions below the tables.
    pub(super) fn of(text: &'a str) -> Self {
        let (mut targets, mut repeated) = (BTreeMap::new(), BTreeSet::new());
        for (name, target) in markdown::definitions(text) {
            if targets.insert(name, target).is_some() {
                repeated.insert(name);
            }
        }
        Self { targets, repeated, used: BTreeSet::new() }
    }

    /// Notes that a cell uses a link. Returns the problem if the link is not defined.
    pub(super) fn note(&mut self, name: &'a str) -> Option<String> {
        self.used.insert(name);
        (!self.targets.contains_key(name)).then(|| format!("[{name}] leads nowhere"))
    }

    /// Returns the problems of the definitions: those that do not lead to a test, and those that no cell uses.
    pub(super) fn problems(&self, tree: &Tree) -> Vec<String> {
        let broken = self
            .targets
            .iter()
            .filter_map(|(name, target)| shown_by::wrong(tree, target).map(|why| format!("[{name}] {why}")));
        let unused = self.targets.keys().filter(|name| !self.used.contains(*name));
        let repeated = self.repeated.iter().map(|name| format!("[{name}] is defined more than once"));
        broken.chain(unused.map(|name| format!("[{name}] is never used"))).chain(repeated).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_defined_twice_is_a_problem() {
        let tree = Tree::of(&[("tests/a.rs", "#[test]\nfn a() {}\n#[test]\nfn b() {}\n")]);
        let mut links =
            Links::of("[a]: ../../tests/a.rs#a\n[b]: ../../tests/a.rs#b\n[a]: ../../tests/a.rs#b\n");
        assert_eq!([links.note("a"), links.note("b")], [None, None]);
        assert_eq!(links.problems(&tree), ["[a] is defined more than once"]);
    }
}
