//! The keys whose values may hold variables, and the search for variables elsewhere.

use super::{
    describe::may_be_secret,
    error::Finding,
    path::{KeyPath, Step},
    text::variable_in,
};
use toml::de::{DeTable, DeValue};

/// The keys whose values may hold `${VAR}`. `NAME` stands for any key.
const KEYS: &[&str] = &[
    "kernel.state_dir",
    "kernel.tool_index.model",
    "kernel.tool_index.reranker",
    "kernel.tool_index.models_dir",
    "access.policy_file",
    "approvals.notify[].url",
    "approvals.notify[].token",
    "approvals.notify[].argv[]",
    "servers[].command",
    "servers[].commands[].argv[]",
    "servers[].args[]",
    "servers[].env.NAME",
    "servers[].cwd",
    "servers[].tools[].arguments.NAME",
    "servers[].url",
    "servers[].headers.NAME",
    "servers[].openapi",
    "servers[].auth.bearer",
    "servers[].auth.api_key",
    "servers[].auth.basic.password",
    "servers[].auth.basic.user",
    "servers[].auth.oauth.client_secret",
    "servers[].base_url",
    "servers[].confinement.read[]",
    "servers[].confinement.write[]",
    "servers[].confinement.execute[]",
    "http.oauth.issuers[].jwks_file",
    "http.oauth.introspection.client_id",
    "http.oauth.introspection.client_secret",
    "tool_creation.python",
    "store.url",
    "replicas.advertise",
    "telemetry.traces_authorization",
];

/// The keys of [`KEYS`], in fewer words.
const PLACES: &str = "kernel.state_dir, kernel.tool_index, access.policy_file, tool_creation.python, store.url, replicas.advertise, telemetry.traces_authorization, the \
                      jwks_file and introspection of http.oauth, the url, token and argv of approvals.notify, and the command, args, env, cwd, url, openapi, base_url, headers, auth, commands, confinement and fixed arguments of servers";

/// The keys whose values are text for others, in which `${VAR}` means nothing to the gateway.
const LITERAL: &[&str] = &[
    "kernel.instructions",
    "servers[].mgp.code_safety.blocked_patterns[]",
    "servers[].mgp.compensations.NAME",
];

/// Returns a finding for each variable in a value that cannot hold one, and would be taken literally.
pub(super) fn misplaced(table: &DeTable<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (key, value) in table {
        visit(value.get_ref(), &KeyPath::root().key(key.get_ref().as_ref()), &mut findings);
    }
    findings
}

fn visit(value: &DeValue<'_>, path: &KeyPath, findings: &mut Vec<Finding>) {
    let is_of = |keys: &[&str]| keys.iter().any(|key| is_at(path, key));
    match value {
        _ if is_of(LITERAL) => {}
        DeValue::Table(table) => {
            table
                .iter()
                .for_each(|(key, value)| visit(value.get_ref(), &path.key(key.get_ref().as_ref()), findings));
        }
        DeValue::Array(items) => {
            items.iter().enumerate().for_each(|(i, item)| visit(item.get_ref(), &path.index(i), findings));
        }
        DeValue::String(text) if !is_of(KEYS) => {
            let Some(variable) = variable_in(text) else { return };
            let value = if may_be_secret(path) { variable } else { text };
            let message = format!("holds a variable in {value:?}: no variable is read here");
            let help = format!("write the value itself; variables are read in {PLACES}");
            findings.push(Finding::new(path.clone(), message).help(help));
        }
        _ => {}
    }
}

/// Returns whether a path leads to a key, such as `servers[0].args[1]` to `servers[].args[]`.
fn is_at(path: &KeyPath, key: &str) -> bool {
    let mut steps = path.steps().iter();
    let is_key = |step: Option<&Step>, name: &str| matches!(step, Some(Step::Key(key)) if name == "NAME" || key == name);
    let all = key.split('.').all(|part| match part.strip_suffix("[]") {
        Some(name) => is_key(steps.next(), name) && matches!(steps.next(), Some(Step::Index(_))),
        None => is_key(steps.next(), part),
    });
    all && steps.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_keys_are_those_of_the_list() {
        let docs = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/configuration.md"))
            .unwrap();
        let rows = docs.lines().filter(|line| line.contains(", `${VAR}` |"));
        let mut documented: Vec<_> = rows
            .map(|row| {
                let list = if row.contains("list of strings") { "[]" } else { "" };
                format!("{}{list}", row.split('`').nth(1).unwrap())
            })
            .collect();
        let mut listed: Vec<_> = KEYS.iter().map(ToString::to_string).collect();
        documented.sort();
        listed.sort();
        assert_eq!(listed, documented);
    }
}
