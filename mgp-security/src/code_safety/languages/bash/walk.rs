//! The state of a walk over a tree.

use super::{scope::Scope, words::OPAQUE};
use crate::code_safety::{
    finding::{Finding, Kind, Place},
    policy::Policy,
    source_tree::SourceTree,
};

/// The findings so far, and their sources.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    pub(super) tree: &'a SourceTree<'a>,
    pub(super) policy: &'a Policy,
    pub(super) scope: &'a Scope,
    /// True if the tree is that of a nested text.
    pub(super) is_nested: bool,
    pub(super) findings: Vec<Finding>,
    /// The texts that are code as well, with their places.
    pub(super) nested: Vec<(String, Place)>,
}

impl Walk<'_> {
    /// Adds a finding at a node.
    pub(super) fn add(&mut self, at: usize, kind: Kind) {
        self.findings.extend(self.tree.finding(at, kind));
    }

    /// Adds an action that cannot be decided.
    pub(super) fn undecided(&mut self, at: usize, text: &str) {
        self.add(at, Kind::Undecided(text.to_owned()));
    }

    /// Adds a variable that is set.
    pub(super) fn set(&mut self, at: usize, name: &str) {
        if name.contains(OPAQUE) {
            self.undecided(at, "a variable with a computed name");
        } else {
            self.add(at, Kind::Use(format!("${name}")));
        }
    }

    /// Returns whether the operands of a command are variables that hold new temporary folders.
    pub(super) fn removes_temporary(&self, at: usize) -> bool {
        let tree = self.tree;
        let inside = || at + 1..tree.items[at].end;
        let names: Vec<&str> =
            inside().filter(|at| tree.kind(*at) == "variable_name").map(|at| tree.text(at)).collect();
        !names.is_empty() && names.iter().all(|name| self.scope.is_temporary(name))
    }
}
