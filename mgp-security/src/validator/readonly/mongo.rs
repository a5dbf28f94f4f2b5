//! MongoDB: commands, stages and operators, which are names of members.

use super::finding::Finding;
use crate::{
    validator::{
        Leaf, LeafKind,
        table::{self, Words},
    },
    words::joined,
};
use serde::Deserialize;
use std::sync::LazyLock;

/// The words of `mongo.toml`.
static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("mongo.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    always: Words,
    computed: Words,
    commands: Words,
    reads: Words,
}

/// Operators that update a document, and are stages or accumulators in a pipeline.
const UPDATES: &[&str] = &["$set", "$unset", "$push", "$addtoset", "$replacewith"];

/// Commands of the server that change something, if they occur with their arguments.
const WRITES: &[(&str, &[&str])] = &[
    ("update", &["updates"]),
    ("delete", &["deletes"]),
    ("insert", &["documents"]),
    ("findandmodify", &["query", "update", "remove"]),
    ("createindexes", &["indexes"]),
    ("mapreduce", &["map"]),
];

/// Judges the name of a member. `is_first` is true for the first member of an object; `root` are the members of the arguments themselves.
pub(super) fn judge_name(leaf: &Leaf, is_first: bool, root: &Root) -> Option<Finding> {
    let name = leaf.text.to_ascii_lowercase();
    if name.starts_with('$') {
        let parts = || leaf.pointer.split('/').map(str::to_ascii_lowercase);
        let computed = parts().any(|part| TABLE.computed.contains(&part.as_str()))
            && !parts()
                .any(|part| ["update", "updates", "u", "changes", "modification"].contains(&part.as_str()));
        if TABLE.always.contains(&name.as_str()) || UPDATES.contains(&name.as_str()) && !computed {
            return Some(Finding::Harm("an operator of MongoDB that writes or runs code"));
        }
        return None;
    }
    let plain = joined(&name);
    let holder = joined(leaf.key());
    let item = leaf
        .pointer
        .rsplit('/')
        .next()
        .is_some_and(|part| joined(part) == holder || part.bytes().all(|b| b.is_ascii_digit()));
    let at_top = leaf.pointer.matches('/').count() <= 2
        && !leaf.pointer.trim_start_matches('/').split('/').skip(1).any(|part| joined(part) != holder);
    if is_first
        && item
        && at_top
        && TABLE.commands.contains(&holder.as_str())
        && !TABLE.reads.contains(&plain.as_str())
    {
        return Some(Finding::Doubt("a command of a database that may do more than read"));
    }
    if leaf.pointer.is_empty() {
        let beside = WRITES.iter().find(|(command, _)| *command == plain);
        if beside.is_some_and(|(_, others)| others.iter().any(|other| root.0.contains(other.to_owned()))) {
            return Some(Finding::Doubt("a command of a database that writes"));
        }
    }
    None
}

/// Names of the members of the arguments themselves.
pub(super) struct Root(std::collections::BTreeSet<String>);

impl Root {
    /// Collects the names.
    pub(super) fn of(leaves: &[Leaf]) -> Self {
        let outer = leaves.iter().filter(|leaf| leaf.kind == LeafKind::Name && leaf.pointer.is_empty());
        Self(outer.map(|leaf| joined(&leaf.text)).collect())
    }
}
