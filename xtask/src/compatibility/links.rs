//! The links of a page to tests.

use super::{markdown, shown_by};
use crate::tree::Tree;
use std::collections::{BTreeMap, BTreeSet};

/// The links that a page defines, and the names of those that its cells use.
#[derive(Debug)]
pub(super) struct Links<'a> {
    targets: BTreeMap<&'a str, &'a str>,
    used: BTreeSet<&'a str>,
}

impl<'a> Links<'a> {
    /// Reads the definitions below the tables.
    pub(super) fn of(text: &'a str) -> Self {
        Self { targets: markdown::targets(text), used: BTreeSet::new() }
    }

    /// Notes that a cell uses a link. Returns the problem if the link is not defined.
    pub(super) fn note(&mut self, name: &'a str) -> Option<String> {
        self.used.insert(name);
        (!self.targets.contains_key(name)).then(|| format!("[{name}] leads nowhere"))
    }

    /// Returns the problems of the definitions: those that lead to no test, and those that no cell uses.
    pub(super) fn problems(&self, tree: &Tree) -> Vec<String> {
        let broken = self
            .targets
            .iter()
            .filter_map(|(name, target)| shown_by::wrong(tree, target).map(|why| format!("[{name}] {why}")));
        let unused = self.targets.keys().filter(|name| !self.used.contains(*name));
        broken.chain(unused.map(|name| format!("[{name}] is never used"))).collect()
    }
}
