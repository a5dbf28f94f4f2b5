//! The rules on dependencies between crates.

use cargo_metadata::DependencyKind;

use super::graph::{Dependency, Graph, Member};
use super::table::{CrateRule, Owned, Without};

const TRANSPORT: &str = "mgp-transport";

/// The crate that tests share, which any member may use in its tests, and none elsewhere.
const TESTING: &str = "xtask-testing";

/// The program, which nobody depends on, and its console, which only the program depends on: they need all that they are made of.
const PROGRAM: [&str; 2] = ["mgp", "mgp-console"];

/// Checks that each member depends only on the members that its row allows, and section crates on the bare seam.
pub(super) fn members(graph: &Graph, rules: &[CrateRule]) -> Vec<String> {
    let mut findings = Vec::new();
    for member in &graph.members {
        let Some(rule) = rules.iter().find(|rule| rule.name == member.name) else {
            findings.push(format!("{} is not in the table of crates", member.name));
            continue;
        };
        let inside = member.dependencies.iter().filter(|dependency| {
            graph.members.iter().any(|other| other.name == dependency.name && other.name != member.name)
        });
        for dependency in inside {
            let in_tests = dependency.name == TESTING && dependency.kind == DependencyKind::Development;
            if !in_tests && !rule.may.contains(&dependency.name.as_str()) {
                findings.push(format!("{} may not depend on {}", member.name, dependency.name));
            }
            let is_transport = dependency.name == TRANSPORT && dependency.kind == DependencyKind::Normal;
            if is_transport && !rule.transports && has_features(dependency) {
                findings.push(format!("{} may use {TRANSPORT} without features only", member.name));
            }
        }
        let switches = |switch: &&String| {
            let target = switch.split_once('/').map(|(target, _)| target.trim_end_matches('?'));
            target == Some(TRANSPORT)
        };
        if let Some(switch) = member.switches.iter().find(switches).filter(|_| !rule.transports) {
            findings.push(format!("{} may not switch on `{switch}`", member.name));
        }
    }
    findings
}

fn has_features(dependency: &Dependency) -> bool {
    dependency.default_features || !dependency.features.is_empty()
}

/// Checks that the whole dependency tree of a crate holds none of the forbidden crates.
pub(super) fn trees(graph: &Graph, rules: &[Without]) -> Vec<String> {
    let mut findings = Vec::new();
    for rule in rules {
        let Some(member) = graph.members.iter().find(|member| member.name == rule.name) else {
            findings.push(format!("{} is not a member of the workspace", rule.name));
            continue;
        };
        for never in rule.never {
            if let Some(way) = graph.way(member, &[never]) {
                findings.push(format!("{} is {}: {}", rule.name, rule.why, way.join(" > ")));
            }
        }
    }
    findings
}

/// Checks that outside crates are used by their owners only, behind a feature if the rule says so, except in the
/// program. Tests and xtask may use them.
pub(super) fn owners(graph: &Graph, rules: &[Owned]) -> Vec<String> {
    let ships = |member: &&Member| !member.name.starts_with("xtask");
    let mut findings = Vec::new();
    for rule in rules {
        for member in graph.members.iter().filter(ships) {
            let normal = member
                .dependencies
                .iter()
                .filter(|dependency| dependency.kind != DependencyKind::Development);
            for dependency in normal.filter(|dependency| dependency.name == rule.dependency) {
                if !rule.owners.contains(&member.name.as_str()) {
                    let owners = rule.owners.join(", ");
                    findings.push(format!(
                        "{} may not depend on {}: only {owners}",
                        member.name, rule.dependency
                    ));
                } else if rule.optional && !dependency.optional && !PROGRAM.contains(&member.name.as_str()) {
                    findings.push(format!("{} needs {} without a feature", member.name, rule.dependency));
                }
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &[CrateRule] = &[
        CrateRule { name: "mgp-types", may: &[], transports: false },
        CrateRule { name: TRANSPORT, may: &["mgp-types"], transports: false },
        CrateRule { name: "mgp-stream", may: &["mgp-types", TRANSPORT], transports: false },
        CrateRule { name: "sdk", may: &["mgp-types", TRANSPORT, "mgp-stream"], transports: true },
    ];

    fn on(name: &str) -> Dependency {
        Dependency { name: name.to_owned(), ..Dependency::default() }
    }

    fn member(name: &str, dependencies: Vec<Dependency>) -> Member {
        Member { name: name.to_owned(), version: "1.0.0".to_owned(), dependencies, switches: Vec::new() }
    }

    /// Returns a workspace that keeps the rules, with one change.
    fn graph(change: impl FnOnce(&mut Graph)) -> Graph {
        let mut graph = Graph {
            members: vec![
                member("mgp-types", vec![on("serde")]),
                member(TRANSPORT, vec![on("mgp-types"), on("tokio")]),
                member("mgp-stream", vec![on("mgp-types"), on(TRANSPORT)]),
                member("sdk", vec![on("mgp-stream"), Dependency { default_features: true, ..on(TRANSPORT) }]),
            ],
            ..Graph::default()
        };
        let mut edge = |from: &str, to: &str| {
            graph.normal.entry(from.to_owned()).or_default().insert(to.to_owned());
        };
        edge("mgp-types 1.0.0", "serde 1.0.0");
        edge("serde 1.0.0", "memchr 2.0.0");
        edge("mgp-transport 1.0.0", "tokio 1.0.0");
        change(&mut graph);
        graph
    }

    #[test]
    fn a_workspace_that_keeps_the_rules_passes() {
        assert_eq!(members(&graph(|_| ()), RULES), [] as [String; 0]);
    }

    #[test]
    fn a_dependency_between_section_crates_is_found_even_in_tests() {
        for kind in [DependencyKind::Normal, DependencyKind::Development, DependencyKind::Build] {
            let graph =
                graph(|graph| graph.members[1].dependencies.push(Dependency { kind, ..on("mgp-stream") }));
            assert_eq!(members(&graph, RULES), ["mgp-transport may not depend on mgp-stream"]);
        }
    }

    #[test]
    fn the_crate_that_tests_share_is_found_outside_of_tests() {
        let rules = [RULES, &[CrateRule { name: TESTING, may: &[], transports: false }]].concat();
        for (kind, expected) in [
            (DependencyKind::Development, None),
            (DependencyKind::Normal, Some("mgp-types may not depend on xtask-testing")),
        ] {
            let graph = graph(|graph| {
                graph.members.push(member(TESTING, vec![]));
                graph.members[0].dependencies.push(Dependency { kind, ..on(TESTING) });
            });
            assert_eq!(members(&graph, &rules), Vec::from_iter(expected));
        }
    }

    #[test]
    fn a_member_that_is_not_in_the_table_is_found() {
        let graph = graph(|graph| graph.members.push(member("mgp-new", vec![])));
        assert_eq!(members(&graph, RULES), ["mgp-new is not in the table of crates"]);
    }

    #[test]
    fn a_section_crate_gets_the_bare_seam() {
        let wanted = ["mgp-stream may use mgp-transport without features only"];
        let with_default = graph(|graph| graph.members[2].dependencies[1].default_features = true);
        assert_eq!(members(&with_default, RULES), wanted);
        let with_feature = graph(|graph| graph.members[2].dependencies[1].features.push("child".to_owned()));
        assert_eq!(members(&with_feature, RULES), wanted);
        let by_switch = graph(|graph| graph.members[2].switches.push("mgp-transport?/child".to_owned()));
        assert_eq!(members(&by_switch, RULES), ["mgp-stream may not switch on `mgp-transport?/child`"]);
    }

    #[test]
    fn a_forbidden_crate_deep_in_the_tree_is_found_with_its_path() {
        let rules = &[Without { name: "mgp-types", never: &["tokio"], why: "pure" }];
        assert_eq!(trees(&graph(|_| ()), rules), [] as [String; 0]);
        let graph = graph(|graph| {
            graph.normal.entry("memchr 2.0.0".to_owned()).or_default().insert("tokio 1.0.0".to_owned());
        });
        let way = "mgp-types is pure: mgp-types 1.0.0 > serde 1.0.0 > memchr 2.0.0 > tokio 1.0.0";
        assert_eq!(trees(&graph, rules), [way]);
        let unknown = &[Without { name: "mgp-gone", never: &[], why: "pure" }];
        assert_eq!(trees(&graph, unknown), ["mgp-gone is not a member of the workspace"]);
    }

    #[test]
    fn a_crate_outside_its_owners_or_without_a_feature_is_found() {
        let rules = &[Owned { dependency: "rusqlite", owners: &["mgp-stream"], optional: true }];
        let stranger = graph(|graph| graph.members[1].dependencies.push(on("rusqlite")));
        assert_eq!(owners(&stranger, rules), ["mgp-transport may not depend on rusqlite: only mgp-stream"]);
        let always = graph(|graph| graph.members[2].dependencies.push(on("rusqlite")));
        assert_eq!(owners(&always, rules), ["mgp-stream needs rusqlite without a feature"]);
        let optional = Dependency { optional: true, ..on("rusqlite") };
        assert_eq!(
            owners(&graph(|graph| graph.members[2].dependencies.push(optional)), rules),
            [] as [String; 0]
        );
    }
}
