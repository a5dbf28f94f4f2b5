//! The part of `cargo metadata` that the rules are about.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use cargo_metadata::{DependencyKind, Metadata};

/// The members, and the normal dependencies of all crates.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    pub(super) members: Vec<Member>,
    /// Each crate, as "name version", with its normal dependencies, as resolved with every feature on.
    pub(super) normal: BTreeMap<String, BTreeSet<String>>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) dependencies: Vec<Dependency>,
    /// Everything that the features of the member switch on.
    pub(super) switches: Vec<String>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Dependency {
    pub(super) name: String,
    pub(super) kind: DependencyKind,
    pub(super) optional: bool,
    pub(super) default_features: bool,
    pub(super) features: Vec<String>,
}

impl Graph {
    pub(super) fn of(metadata: &Metadata) -> Result<Self, String> {
        let resolve = metadata.resolve.as_ref().ok_or("cargo metadata resolved nothing")?;
        let names: BTreeMap<_, _> = metadata
            .packages
            .iter()
            .map(|package| (&package.id, format!("{} {}", package.name, package.version)))
            .collect();
        let name =
            |id| names.get(id).cloned().ok_or_else(|| format!("cargo metadata does not describe {id}"));
        let mut normal = BTreeMap::new();
        for node in &resolve.nodes {
            let is_normal = |kind: DependencyKind| kind == DependencyKind::Normal;
            let deps = node.deps.iter().filter(|dep| dep.dep_kinds.iter().any(|info| is_normal(info.kind)));
            let deps: Result<BTreeSet<String>, String> = deps.map(|dep| name(&dep.pkg)).collect();
            normal.insert(name(&node.id)?, deps?);
        }
        let members = metadata.workspace_packages().into_iter().map(|package| Member {
            name: package.name.to_string(),
            version: package.version.to_string(),
            dependencies: package.dependencies.iter().map(Dependency::of).collect(),
            switches: package.features.values().flatten().cloned().collect(),
        });
        Ok(Self { members: members.collect(), normal })
    }

    /// Returns the shortest way from a member to a crate of one of these names, if there is one.
    pub(super) fn way(&self, from: &Member, to: &[&str]) -> Option<Vec<String>> {
        let start = format!("{} {}", from.name, from.version);
        let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
        let mut waiting = VecDeque::from([start.as_str()]);
        while let Some(at) = waiting.pop_front() {
            let name = at.split(' ').next().unwrap_or_default();
            if to.contains(&name) {
                let mut way = vec![at.to_owned()];
                let mut here = at;
                while let Some(before) = came_from.get(here) {
                    way.push((*before).to_owned());
                    here = before;
                }
                way.reverse();
                return Some(way);
            }
            for next in self.normal.get(at).into_iter().flatten() {
                if next != &start && !came_from.contains_key(next.as_str()) {
                    came_from.insert(next, at);
                    waiting.push_back(next);
                }
            }
        }
        None
    }
}

impl Dependency {
    fn of(dependency: &cargo_metadata::Dependency) -> Self {
        Self {
            name: dependency.name.clone(),
            kind: dependency.kind,
            optional: dependency.optional,
            default_features: dependency.uses_default_features,
            features: dependency.features.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace;

    #[test]
    fn the_workspace_s_own_metadata_is_read() {
        let graph = Graph::of(&workspace::metadata().unwrap()).unwrap();
        let types = graph.members.iter().find(|member| member.name == "mgp-types").unwrap();
        let way = graph.way(types, &["serde_core"]).unwrap();
        assert!(way[0].starts_with("mgp-types ") && way.len() > 1, "{way:?}");
        let transport = graph.members.iter().find(|member| member.name == "mgp-transport").unwrap();
        assert!(graph.way(transport, &["tokio"]).is_some());
    }
}
