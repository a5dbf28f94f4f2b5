//! Gives every tool its name.

use super::{
    NameConflict, Names,
    hashed::{MAX_LENGTH, hashed, plain},
};
use mgp_types::{context::ToolId, tool_index::MetaTool};
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// Assigns every tool of every server the name that hosts call it by.
///
/// The servers are in the order of the configuration. Servers that are down are included with their last tools, so that no name
/// depends on which servers are up. The first server with a tool of some name keeps the bare name; later ones get `server__tool`.
/// Characters that not every host accepts become `_`. If a name is then longer than 64 characters or no longer unique, it ends in
/// `_` and six hexadecimal digits of the SHA-256 of its `server__tool`. Tools with names that belong to the kernel are hidden.
///
/// ```
/// let names = mgp_toolindex::names::assign([("a", ["read", "x.y"]), ("b", ["read", "mgp_z"])]);
/// let exposed: Vec<_> = names.iter().map(|(name, tool)| format!("{name} = {tool}")).collect();
/// assert_eq!(exposed, ["read = a.read", "x_y = a.x.y", "b__read = b.read"]);
/// assert_eq!(names.conflicts()[0].tool.to_string(), "b.mgp_z");
/// ```
pub fn assign<'a, T>(servers: impl IntoIterator<Item = (&'a str, T)>) -> Names
where
    T: IntoIterator<Item = &'a str>,
{
    let mut listed = HashSet::new();
    let mut conflicts = Vec::new();
    let mut tools: Vec<ToolId> = Vec::new();
    for (server, names) in servers {
        for name in names {
            let tool = ToolId::new(server, name);
            if MetaTool::reserves(name) || MetaTool::reserves(&plain(name)) {
                conflicts
                    .push(NameConflict { tool, reason: "names that start with mgp are the gateway's own" });
            } else if listed.insert(tool.clone()) {
                tools.push(tool);
            } else {
                conflicts.push(NameConflict { tool, reason: "the server lists the name twice" });
            }
        }
    }
    let full: HashMap<String, usize> =
        tools.iter().enumerate().map(|(i, tool)| (full_name(tool), i)).collect();
    let wanted = wanted(&tools, &full);

    let mut names: Vec<Option<String>> = vec![None; tools.len()];
    let mut taken: HashSet<String> = HashSet::new();
    // Names that need no change come first: no other server's modified name may take them.
    for (i, name) in wanted.iter().enumerate().filter(|(_, name)| fits(name)) {
        if taken.insert(name.clone()) {
            names[i] = Some(name.clone());
        }
    }
    for (i, tool) in tools.iter().enumerate() {
        if names[i].is_some() {
            continue;
        }
        let mut name = plain(&wanted[i]);
        // A call by another tool's `server__tool` must always reach the other tool.
        let other = |name: &str| full.get(name).is_some_and(|owner| *owner != i);
        if name.len() > MAX_LENGTH || taken.contains(&name) || other(&name) {
            name = hashed(&name, &full_name(tool), |name| taken.contains(name) || other(name));
        }
        taken.insert(name.clone());
        names[i] = Some(name);
    }
    let exposed = tools.into_iter().zip(names).filter_map(|(tool, name)| Some((Arc::from(name?), tool)));
    Names::new(exposed.collect(), conflicts)
}

/// Returns the name that each tool would have if every host accepted any name.
fn wanted(tools: &[ToolId], full: &HashMap<String, usize>) -> Vec<String> {
    let mut claimed = HashSet::new();
    let bare = |(i, tool): (usize, &ToolId)| {
        let name = tool.tool_name.to_string();
        let somebody_else_s = full.get(&name).is_some_and(|owner| *owner != i);
        if !somebody_else_s && claimed.insert(Arc::clone(&tool.tool_name)) { name } else { full_name(tool) }
    };
    tools.iter().enumerate().map(bare).collect()
}

fn fits(name: &str) -> bool {
    name.len() <= MAX_LENGTH && plain(name) == name
}

/// Returns the name that always reaches the tool, `server__tool`.
pub(super) fn full_name(tool: &ToolId) -> String {
    format!("{}__{}", tool.server_id, tool.tool_name)
}
