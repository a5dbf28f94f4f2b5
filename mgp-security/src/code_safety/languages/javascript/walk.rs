//! The state of a walk over a tree.

use super::{functions::Functions, values::Values};
use crate::code_safety::{
    capability::Capability,
    finding::{Finding, Kind},
    policy::Policy,
    source_tree::SourceTree,
};
use std::collections::HashSet;

/// The findings so far, and their sources.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    pub(super) tree: &'a SourceTree<'a>,
    pub(super) policy: &'a Policy,
    pub(super) values: &'a Values<'a>,
    pub(super) functions: &'a Functions,
    /// The globals whose functions the evaluation of expressions relies on.
    pub(super) relied_on: HashSet<String>,
    pub(super) findings: Vec<Finding>,
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

    /// Adds the import of a module.
    pub(super) fn import(&mut self, at: usize, module: String) {
        if module.ends_with(".node") {
            self.add(at, Kind::Does(Capability::Native, format!("'{module}'")));
        }
        self.add(at, Kind::Import(module));
    }
}
