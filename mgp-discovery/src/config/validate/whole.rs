//! Checks the whole file, including the rules between its tables.

use super::{
    approvals, checks::Checks, console, id::server_id, idempotency, kernel, limits, people,
    references as kept, replicas, server, store, telemetry, tool_creation,
};
use crate::config::{
    Config, DiscoveryConfig, LimitsConfig, ServerConfig, error::Finding, load::MAX_PROBLEMS,
    nearest::nearest, path::KeyPath,
};
use std::collections::HashSet;

/// Checks the configuration of a file, and adds every problem to `findings`.
pub(crate) fn config(config: &Config, findings: &mut Vec<Finding>) {
    values(config, findings);
    references(config, &[], &mut Checks { findings, of_program: false });
}

/// Checks the configuration of a file, except for the names of servers, and adds every problem to `findings`.
pub(crate) fn values(config: &Config, findings: &mut Vec<Finding>) {
    whole(config, Checks { findings, of_program: false });
}

/// Checks the configuration of a program with these further servers, and adds every problem to `findings`.
pub(crate) fn config_of_program(config: &Config, servers: &[&str], findings: &mut Vec<Finding>) {
    whole(config, Checks { findings, of_program: true });
    references(config, servers, &mut Checks { findings, of_program: true });
}

fn whole(config: &Config, mut checks: Checks<'_>) {
    kernel::kernel(&config.kernel, &mut checks);
    kernel::http(&config.http, &mut checks);
    console::console(&config.console, config.http.oauth.is_some(), &mut checks);
    people::permissions(&config.permissions, &mut checks);
    approvals::approvals(&config.approvals, &mut checks);
    people::access(&config.access, &mut checks);
    people::roles(&config.roles, &config.agents, &mut checks);
    limits::limits(&config.limits, &mut checks);
    discovery(&config.discovery, &mut checks);
    kept::references(&config.references, config.results, &mut checks);
    store::store(&config.store, &mut checks);
    replicas::replicas(&config.replicas, &mut checks);
    telemetry::telemetry(&config.telemetry, &mut checks);
    tool_creation::tool_creation(&config.tool_creation, &mut checks);
    idempotency::idempotency(&config.idempotency, &mut checks);
    servers(config, &mut checks);
}

/// The most registries that recommend servers.
const MAX_REGISTRIES: usize = 8;

fn discovery(config: &DiscoveryConfig, checks: &mut Checks<'_>) {
    let path = KeyPath::root().key("discovery");
    let advice = "leave them out: a registry is read without them";
    server::address(&config.registry, &path.key("registry"), advice, checks);
    if config.recommend.len() > MAX_REGISTRIES {
        let count = config.recommend.len();
        checks.say(path.key("recommend"), format!("{count} registries: expected at most {MAX_REGISTRIES}"));
    }
    for (i, registry) in config.recommend.iter().enumerate() {
        server::address(registry, &path.key("recommend").index(i), advice, checks);
    }
}

/// Checks a server that is not in a file, and adds every problem to `findings`. The server's keys are at the top of the
/// paths.
pub(crate) fn one_server(config: &ServerConfig, findings: &mut Vec<Finding>) {
    let mut checks = Checks { findings, of_program: false };
    if let Err(message) = server_id(&config.id) {
        checks.say(KeyPath::root().key("id"), message);
    }
    server::server(config, &KeyPath::root(), &mut checks);
}

fn servers(config: &Config, checks: &mut Checks<'_>) {
    let path = KeyPath::root().key("servers");
    let (count, limit) = (config.servers.len(), config.kernel.limits.max_servers);
    if count > limit {
        checks.say(
            path.clone(),
            format!("{count} servers: expected at most {limit} (kernel.limits.max_servers)"),
        );
    }
    let mut seen = HashSet::new();
    for (i, entry) in config.servers.iter().enumerate() {
        let here = path.index(i);
        if let Err(message) = server_id(&entry.id) {
            checks.say(here.key("id"), message);
        } else if !seen.insert(entry.id.as_str()) {
            checks.say(
                here.key("id"),
                format!("a server {:?} is already defined above: expected each id once", entry.id),
            );
        }
        server::server(entry, &here, checks);
    }
}

/// Checks that every server named in the file exists there, or is one of the further servers. Other names are typos, and would silently grant
/// nothing.
fn references(config: &Config, further: &[&str], checks: &mut Checks<'_>) {
    let ids: HashSet<&str> =
        config.servers.iter().map(|server| server.id.as_str()).chain(further.iter().copied()).collect();
    let mut refer = |path: KeyPath, id: &str| {
        if ids.contains(id) {
            return;
        }
        let message = format!("no server {id:?}: expected the id of a [[servers]] table");
        // Comparing every typo with every id of a huge file would take long, and the result would not be shown.
        let meant =
            (checks.findings.len() < MAX_PROBLEMS).then(|| nearest(id, ids.iter().copied())).flatten();
        match meant {
            Some(meant) => checks.advise(path, message, format!("did you mean {meant:?}?")),
            None => checks.say(path, message),
        }
    };
    // A pattern may be for servers that are added later.
    let is_name = |server: &str| !server.contains('*');
    let grants = KeyPath::root().key("access").key("grants");
    for (i, grant) in config.access.grants.iter().enumerate().filter(|(_, grant)| is_name(&grant.server)) {
        refer(grants.index(i).key("server"), &grant.server);
    }
    for (name, role) in &config.roles {
        let grants = KeyPath::root().key("roles").key(name).key("grants");
        for (i, grant) in role.grants.iter().enumerate().filter(|(_, grant)| is_name(&grant.server)) {
            refer(grants.index(i).key("server"), &grant.server);
        }
    }
    let limits = KeyPath::root().key("limits");
    for name in config.limits.servers.keys().filter(|name| is_name(name)) {
        refer(limits.key("servers").key(name), name);
    }
    for (table, name) in config.limits.tool_names() {
        if let Some((server, _)) = LimitsConfig::tool(name).filter(|(server, _)| is_name(server)) {
            refer(limits.key(table).key(name), server);
        }
    }
    let required = KeyPath::root().key("http").key("required_servers");
    for (i, id) in config.http.required_servers.iter().enumerate() {
        refer(required.index(i), id);
    }
    if let Some(server) = &config.audit.server {
        refer(KeyPath::root().key("audit").key("server"), server);
    }
    let approved = KeyPath::root().key("permissions").key("approved");
    for id in config.permissions.approved.keys() {
        refer(approved.key(id), id);
    }
}
