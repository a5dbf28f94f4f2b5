//! The OAuth client of each scenario.

use crate::task::Task;
use mgp_client_sdk::auth::{
    Enterprise, HeadlessAgent, OAuth, OAuthBuilder, RegisteredClient, Secret, SignatureAlgorithm, SigningKey,
};
use serde::Deserialize;
use std::sync::Arc;
use url::Url;

/// Our client id for authorization servers that accept the URL of a document.
const DOCUMENT: &str = "https://conformance-test.local/client-metadata.json";
/// The address that the user is sent back to. Nothing listens there.
const REDIRECT_URI: &str = "http://127.0.0.1:3000/callback";
/// The client id of the workload, which the suite does not name elsewhere.
const WORKLOAD: &str = "conformance-wif-workload";

/// A client that was registered beforehand.
#[derive(Deserialize)]
struct ClientRegistration {
    client_id: String,
    client_secret: String,
    issuer: Option<String>,
}

/// A client that authenticates with a signature.
#[derive(Deserialize)]
struct SigningClient {
    client_id: String,
    private_key_pem: String,
    signing_algorithm: String,
}

/// A client whose identity provider vouches for its users.
#[derive(Deserialize)]
struct ManagedClient {
    client_id: String,
    client_secret: String,
    idp_client_id: String,
    idp_id_token: String,
    idp_token_endpoint: String,
}

/// A client on a platform that vouches for it.
#[derive(Deserialize)]
struct WorkloadClient {
    valid_jwt: String,
}

/// Returns the OAuth client that the scenario requires.
pub(super) fn oauth(task: &Task) -> Result<Arc<OAuth>, String> {
    let builder = OAuth::builder(&task.url);
    let builder = match task.scenario.as_str() {
        "auth/pre-registration" => user(builder)?.client(registered(task)?),
        "auth/client-credentials-basic" => builder.client_credentials().client(registered(task)?),
        "auth/client-credentials-jwt" => builder.client_credentials().client(signing(task)?),
        "auth/enterprise-managed-authorization" => managed(task, builder)?,
        "auth/wif-jwt-bearer" => {
            let WorkloadClient { valid_jwt } = task.context()?;
            builder.workload(Secret::from(valid_jwt)).client(RegisteredClient::new(WORKLOAD))
        }
        _ => user(builder)?.client_metadata(DOCUMENT),
    };
    builder.build().map_err(|error| format!("failed to set up OAuth: {error}"))
}

/// Adds a user, whom the suite does not ask.
fn user(builder: OAuthBuilder) -> Result<OAuthBuilder, String> {
    let agent = HeadlessAgent::new(url(REDIRECT_URI)?);
    Ok(builder.user_agent(agent.map_err(|error| format!("failed to set up the user agent: {error}"))?))
}

fn url(text: &str) -> Result<Url, String> {
    Url::parse(text).map_err(|error| format!("invalid URL {text:?}: {error}"))
}

fn registered(task: &Task) -> Result<RegisteredClient, String> {
    let ClientRegistration { client_id, client_secret, issuer } = task.context()?;
    let client = RegisteredClient::new(client_id).secret(client_secret);
    Ok(match issuer {
        Some(issuer) => client.issuer(issuer),
        None => client,
    })
}

fn signing(task: &Task) -> Result<RegisteredClient, String> {
    let SigningClient { client_id, private_key_pem, signing_algorithm } = task.context()?;
    let algorithm = SignatureAlgorithm::parse(&signing_algorithm)
        .ok_or_else(|| format!("unknown signing algorithm {signing_algorithm:?}"))?;
    let key = SigningKey::from_pem(&private_key_pem, algorithm);
    Ok(RegisteredClient::new(client_id).key(key.map_err(|error| format!("invalid key: {error}"))?))
}

fn managed(task: &Task, builder: OAuthBuilder) -> Result<OAuthBuilder, String> {
    let ManagedClient { client_id, client_secret, idp_client_id, idp_id_token, idp_token_endpoint } =
        task.context()?;
    let endpoint = url(&idp_token_endpoint)?;
    let enterprise = Enterprise::new(endpoint, idp_client_id, Secret::from(idp_id_token));
    Ok(builder.enterprise(enterprise).client(RegisteredClient::new(client_id).secret(client_secret)))
}
