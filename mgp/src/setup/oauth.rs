//! The resource server that validates tokens, built from the configuration.

use super::Setup;
use crate::{error::CliError, exit::Exit};
use mgp_discovery::config::{OAuthConfig, OAuthIssuer, read_bytes};
use mgp_security::identity::oauth::{Introspection, Issuer, KeySet, ResourceServer};
use mgp_transport::http::fetch::HttpFetch;
use std::{path::Path, time::Duration};

/// The time limit of one response of an authorization server.
const FETCH_TIMEOUT: Duration = Duration::from_secs(10);

/// Builds the resource server that validates tokens, from `[http.oauth]`.
pub(crate) async fn resource_server(setup: &Setup, config: &OAuthConfig) -> Result<ResourceServer, CliError> {
    let invalid = |what: String| CliError::new(Exit::Configuration, format!("http.oauth: {what}"));
    let fetch = HttpFetch::new(FETCH_TIMEOUT).map_err(|error| CliError::failed(error.to_string()))?;
    let mut builder = ResourceServer::builder()
        .fetch(fetch)
        .leeway(Duration::from_secs(config.leeway_secs))
        .required_scopes(&config.required_scopes)
        .agent_claim(&config.agent_claim);
    for configured in &config.issuers {
        builder = builder.issuer(issuer(configured)?);
    }
    if let Some(asked) = &config.introspection {
        let id = setup.value("http.oauth.introspection.client_id", &asked.client_id).await?;
        let key = "http.oauth.introspection.client_secret";
        let secret = setup.value(key, asked.client_secret.text()).await?;
        let mut introspection = Introspection::new(&asked.issuer, &asked.url, &id, &secret)
            .remember(Duration::from_secs(asked.remember_secs));
        if let Some(prefix) = &asked.agent_prefix {
            introspection = introspection.agent_prefix(prefix);
        }
        builder = builder.introspection(introspection);
    }
    if !config.algorithms.is_empty() {
        builder = builder.algorithms(&config.algorithms);
    }
    for audience in &config.audiences {
        builder = builder.audience(audience);
    }
    for (method, scopes) in &config.method_scopes {
        builder = builder.method_scopes(method, scopes);
    }
    for (tool, scopes) in &config.tool_scopes {
        builder = builder.tool_scopes(tool, scopes);
    }
    if let Some(scope) = &config.admin_scope {
        builder = builder.admin_scope(scope);
    }
    if let Some(claim) = &config.admin_claim {
        builder = builder.admin_claim(&claim.name, &claim.value);
    }
    builder.build().map_err(|error| invalid(error.to_string()))
}

fn issuer(configured: &OAuthIssuer) -> Result<Issuer, CliError> {
    let mut issuer = Issuer::new(&configured.issuer);
    if let Some(url) = &configured.jwks_url {
        issuer = issuer.jwks_url(url);
    }
    if let Some(file) = &configured.jwks_file {
        let keys = KeySet::parse(&read_bytes(Path::new(file.value()))?)
            .map_err(|error| CliError::new(Exit::Configuration, format!("{}: {error}", file.value())))?;
        issuer = issuer.keys(keys);
    }
    if let Some(prefix) = &configured.agent_prefix {
        issuer = issuer.agent_prefix(prefix);
    }
    Ok(issuer)
}
