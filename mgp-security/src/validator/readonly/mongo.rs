//! MongoDB: commands, stages and operators, which are names of members.

use super::finding::Finding;
use crate::{
    validator::{Leaf, LeafKind},
    words::joined,
};

/// Stages and operators that write or run code in any position.
const ALWAYS: &[&str] = &[
    "$out",
    "$merge",
    "$function",
    "$where",
    "$accumulator",
    "$eval",
    "$inc",
    "$setoninsert",
    "$pull",
    "$pullall",
    "$pop",
    "$currentdate",
    "$mul",
    "$rename",
    "$bit",
    "$pushall",
    "$listsampledqueries",
    "$_internalinhibitoptimization",
];

/// Operators that update a document, and are stages or accumulators in a pipeline.
const UPDATES: &[&str] = &["$set", "$unset", "$push", "$addtoset", "$replacewith"];

/// Parts of pointers to values that are only computed.
const COMPUTED: &[&str] = &[
    "pipeline",
    "stages",
    "aggregation",
    "$facet",
    "$group",
    "$project",
    "$addfields",
    "$set",
    "$bucket",
    "$setwindowfields",
    "$lookup",
    "aggregate",
];

/// Members for a command of the server.
const COMMANDS: &[&str] = &[
    "command",
    "cmd",
    "runcommand",
    "dbcommand",
    "document",
    "commanddocument",
    "admincommand",
    "mongocommand",
    "rawcommand",
    "cmdobj",
];

/// Commands of the server that read.
const READS: &str = "find aggregate count distinct getmore listcollections listdatabases listindexes collstats dbstats serverstatus ping hello ismaster buildinfo connectionstatus currentop explain getparameter getlog hostinfo listcommands replsetgetstatus replsetgetconfig top whatsmyuri usersinfo rolesinfo datasize getcmdlineopts dbhash features getshardmap listshards balancerstatus planccachelistfilters lockinfo getdefaultrwconcern isdbgrid query type pipeline filter getdiagnosticdata atlasversion";

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
        let computed = parts().any(|part| COMPUTED.contains(&part.as_str()))
            && !parts()
                .any(|part| ["update", "updates", "u", "changes", "modification"].contains(&part.as_str()));
        if ALWAYS.contains(&name.as_str()) || UPDATES.contains(&name.as_str()) && !computed {
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
        && COMMANDS.contains(&holder.as_str())
        && !READS.split(' ').any(|read| read == plain)
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
