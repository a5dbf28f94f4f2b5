//! The servers and agents that a kernel would know.

use crate::{error::CliError, output::note, setup::Setup};
use mgp_security::{access::AccessControl, keys::KeyStore as _};
use mgp_types::context::TrustLevel;

/// Names the servers and agents that a kernel would name, so that their default policies and roles, and the policy file, apply.
pub(super) async fn name_all(setup: &Setup, access: &AccessControl) -> Result<(), CliError> {
    for id in setup.registered().await? {
        access.set_registered_server(&id);
    }
    // The configuration's servers come last: if both have the same id, the kernel runs the one of the configuration.
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

/// Notes that a rule's server does not exist. A pattern may be for servers that come later.
pub(super) async fn warn_of_unknown(setup: &Setup, server: &str) {
    if !server.contains('*') && !has_server(setup, server).await {
        note(&format!(
            "there is no server {server:?} in the configuration or registered; the rule counts when there is"
        ));
    }
}
