//! The servers and agents that a kernel would know.

use crate::{
    command::known::{server_or_text, servers},
    error::CliError,
    meant::question,
    output::note,
    setup::Setup,
};
use mgp_security::{access::AccessControl, keys::KeyStore as _};
use mgp_types::context::TrustLevel;
use std::collections::BTreeSet;

/// The agent of hosts without a configuration.
const UNCONFIGURED_AGENT: &str = "local";

/// Registers the servers and agents that a kernel would register, so that their default policies, roles and the policy file
/// apply.
pub(super) async fn name_all(setup: &Setup, access: &AccessControl) -> Result<(), CliError> {
    for id in setup.registered().await? {
        access.set_registered_server(&id);
    }
    // The configuration's servers come last, because they replace registered servers with the same id.
    for (id, policy) in setup.servers()? {
        access.set_server(&id, policy);
    }
    for server in setup.loaded.iter().flat_map(|loaded| loaded.config.enabled()) {
        access.set_trust(&server.id, server.settings().trust_level.unwrap_or(TrustLevel::Standard));
    }
    if let Some(policies) = setup.policies()? {
        access.set_policy(policies);
    }
    access.add_agent(&setup.agent);
    access.set_roles(&setup.roles());
    if let Some(loaded) = &setup.loaded {
        for key in &loaded.config.http.api_keys {
            access.add_agent(&key.agent);
        }
    }
    for key in setup.state.keys()?.load().await? {
        access.add_agent(&key.agent);
    }
    Ok(())
}

/// Returns whether there is a server with an id, in the configuration or registered.
pub(super) async fn has_server(setup: &Setup, id: &str) -> bool {
    setup.servers().is_ok_and(|servers| servers.iter().any(|(own, _)| own == id))
        || setup.registered().await.is_ok_and(|ids| ids.iter().any(|own| own == id))
}

/// Returns the id of the server with this id, or with an unambiguous beginning of it, among all servers and rules. A text
/// without a match is returned unchanged: it may be the id of a future server, or a pattern.
///
/// # Errors
/// If several ids match, or if the rules cannot be read.
pub(super) async fn meant_server(setup: &Setup, given: &str) -> Result<String, CliError> {
    let entries = setup.state.access().await?.entries().await?;
    let of_rules = entries.into_iter().map(|entry| entry.server_id).filter(|id| !id.contains('*'));
    let ids: Vec<_> = of_rules.chain(servers(setup).await).collect();
    server_or_text(given, &ids)
}

/// Notes the names in a rule that match nothing. These are not errors: the agent, server or tool may be new. A pattern may be for future
/// servers and tools.
pub(super) async fn warn_of_unknown(
    setup: &Setup,
    agent: &str,
    server: &str,
    tool: Option<&str>,
) -> Result<(), CliError> {
    if let Some(question) = unknown_agent(setup, agent).await? {
        note(&format!(
            "nothing names an agent {agent:?} yet: {question}the rule takes effect once a host calls for this agent (`mgp serve --agent`, `mgp keys add --agent`)"
        ));
    }
    let is_name = |name: &&str| !name.contains('*');
    if !is_name(&server) {
        return Ok(());
    }
    if !has_server(setup, server).await {
        let question = question(server, servers(setup).await.iter().map(String::as_str));
        note(&format!(
            "there is no server {server:?} in the configuration or registered; {question}the rule takes effect once there is one"
        ));
        return Ok(());
    }
    let Some(tool) = tool.filter(is_name) else { return Ok(()) };
    let pinned = setup.definitions(&setup.audit()?).await?.rows().await?;
    let tools: Vec<_> =
        pinned.iter().map(|row| &row.tool).filter(|tool| *tool.server_id == *server).collect();
    // A server that was never started has listed nothing.
    if !tools.is_empty() && tools.iter().all(|known| *known.tool_name != *tool) {
        let question = question(tool, tools.iter().map(|known| &*known.tool_name));
        note(&format!(
            "server {server:?} has listed no tool {tool:?}: {question}the rule takes effect once there is one"
        ));
    }
    Ok(())
}

/// Returns the question that suggests a known agent for an unknown one, which is empty if no name is close. `None` for a known agent.
pub(crate) async fn unknown_agent(setup: &Setup, agent: &str) -> Result<Option<String>, CliError> {
    let mut known = known_agents(setup).await?;
    known.insert(UNCONFIGURED_AGENT.to_owned());
    if known.contains(agent) {
        return Ok(None);
    }
    Ok(Some(question(agent, known.iter().map(String::as_str))))
}

/// Returns the agents that the configuration, a key or a rule names.
pub(super) async fn known_agents(setup: &Setup) -> Result<BTreeSet<String>, CliError> {
    let mut known = BTreeSet::new();
    if setup.loaded.is_none() {
        known.insert(UNCONFIGURED_AGENT.to_owned());
    }
    if let Some(loaded) = &setup.loaded {
        let config = &loaded.config;
        known.insert(config.kernel.agent.clone());
        known.extend(config.agents.iter().map(|agent| agent.id.clone()));
        known.extend(config.access.grants.iter().map(|grant| grant.agent.clone()));
        known.extend(config.http.api_keys.iter().map(|key| key.agent.clone()));
    }
    known.extend(setup.state.keys()?.load().await?.into_iter().map(|key| key.agent));
    known.extend(setup.state.access().await?.entries().await?.into_iter().map(|entry| entry.agent_id));
    Ok(known)
}
