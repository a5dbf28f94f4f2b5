//! The agents that anything names: rules, roles, keys, hosts and the latest events.

use super::{
    access::{AccessList, KeyList},
    status::Status,
};
use mgp_types::{audit::AuditEvent, context::ActorType};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The number of the latest events in which agents are looked for.
pub(super) const EVENTS: &str = "--last=500";

/// The answer of `mgp audit`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Events {
    pub(super) events: Vec<AuditEvent>,
}

/// An agent, and the places in which it is named.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Person {
    pub(super) rules: usize,
    pub(super) roles: Vec<String>,
    pub(super) keys: usize,
    pub(super) hosts: usize,
    /// The time of its latest event.
    pub(super) seen: Option<String>,
}

/// Returns the agents by name.
pub(super) fn people(
    access: &AccessList,
    keys: &KeyList,
    status: &Status,
    events: &Events,
) -> BTreeMap<String, Person> {
    let mut people: BTreeMap<String, Person> = BTreeMap::new();
    for entry in &access.entries {
        people.entry(entry.agent_id.clone()).or_default().rules += 1;
    }
    for entry in &access.by_roles {
        let roles = &mut people.entry(entry.agent_id.clone()).or_default().roles;
        if !roles.contains(&entry.role) {
            roles.push(entry.role.clone());
        }
    }
    for key in keys.keys.iter().filter(|key| !key.expired) {
        people.entry(key.agent.clone()).or_default().keys += 1;
    }
    for host in status.hosts() {
        people.entry(host.principal.clone()).or_default().hosts += 1;
    }
    for event in events.events.iter().filter(|event| event.actor.kind == ActorType::Agent) {
        let seen = &mut people.entry(event.actor.id.clone()).or_default().seen;
        if seen.as_ref().is_none_or(|seen| *seen < event.timestamp) {
            *seen = Some(event.timestamp.clone());
        }
    }
    people
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_known_from_each_place_that_names_it() {
        let access = r#"{"entries": [{"agent_id": "ann", "server_id": "notes"}, {"agent_id": "ann", "server_id": "mail"}],
            "by_roles": [{"agent_id": "bob", "role": "reader", "server_id": "*", "permission": "allow"}]}"#;
        let keys =
            r#"{"keys": [{"name": "k", "agent": "cat"}, {"name": "old", "agent": "dan", "expired": true}]}"#;
        let event = |at: &str, kind: &str, id: &str| {
            format!(
                r#"{{"timestamp": "{at}", "event_type": "TOOL_EXECUTED", "actor": {{"type": "{kind}", "id": "{id}"}}, "result": "SUCCESS"}}"#
            )
        };
        let events = [
            event("2026-01-02T00:00:00Z", "agent", "ann"),
            event("2026-01-01T00:00:00Z", "agent", "ann"),
            event("2026-01-01T00:00:00Z", "agent", "eve"),
            event("2026-01-01T00:00:00Z", "operator", "root"),
        ];
        let events = format!(r#"{{"events": [{}]}}"#, events.join(","));
        let people = people(
            &serde_json::from_str(access).unwrap(),
            &serde_json::from_str(keys).unwrap(),
            &Status::default(),
            &serde_json::from_str(&events).unwrap(),
        );
        assert_eq!(people.keys().collect::<Vec<_>>(), ["ann", "bob", "cat", "eve"]);
        assert_eq!((people["ann"].rules, people["ann"].seen.as_deref()), (2, Some("2026-01-02T00:00:00Z")));
        assert_eq!(people["bob"].roles, ["reader"]);
        assert_eq!(people["cat"].keys, 1);
    }
}
