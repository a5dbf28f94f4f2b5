//! How a client authenticates where tokens are given.

use super::RegisteredClient;
use crate::auth::{OAuthError, discovery::ServerMetadata, store::AuthMethod};

/// How a client of the settings authenticates: as it says, else as strongly as both can.
pub(super) fn of_settings(
    client: &RegisteredClient,
    server: &ServerMetadata,
) -> Result<AuthMethod, OAuthError> {
    if let Some(method) = client.method {
        return Ok(method);
    }
    if let Some(key) = client.key.as_ref().filter(|_| offers(server, AuthMethod::PrivateKeyJwt)) {
        let algorithm = key.algorithm().as_str();
        return match &server.signing_algorithms {
            Some(offered) if !offered.iter().any(|one| one == algorithm) => Err(OAuthError::Unsupported {
                issuer: server.issuer.clone(),
                what: "the algorithm of the private key",
                problem: format!("expected one of {}, found {algorithm}", offered.join(", ")),
            }),
            _ => Ok(AuthMethod::PrivateKeyJwt),
        };
    }
    if client.secret.is_some() {
        return Ok(with_secret(server));
    }
    if client.key.is_some() {
        return Err(OAuthError::Unsupported {
            issuer: server.issuer.clone(),
            what: "private_key_jwt",
            problem: format!("it offers {}", server.auth_methods.as_deref().unwrap_or_default().join(", ")),
        });
    }
    Ok(AuthMethod::None)
}

/// How a client with a secret authenticates.
pub(super) fn with_secret(server: &ServerMetadata) -> AuthMethod {
    let methods = [AuthMethod::ClientSecretBasic, AuthMethod::ClientSecretPost, AuthMethod::None];
    methods.into_iter().find(|method| offers(server, *method)).unwrap_or(AuthMethod::ClientSecretBasic)
}

/// What a client asks for that registers on the way: no secret where the server can do without one.
pub(super) fn to_register(server: &ServerMetadata) -> AuthMethod {
    let methods = [AuthMethod::None, AuthMethod::ClientSecretBasic, AuthMethod::ClientSecretPost];
    methods.into_iter().find(|method| offers(server, *method)).unwrap_or(AuthMethod::ClientSecretBasic)
}

/// Whether a server offers a method. One that does not say offers HTTP Basic (RFC 8414 §2).
fn offers(server: &ServerMetadata, method: AuthMethod) -> bool {
    match &server.auth_methods {
        Some(methods) => methods.iter().any(|name| name == method.as_str()),
        // A key is no use to a server of secrets, and who has one was told to use it.
        None => matches!(method, AuthMethod::ClientSecretBasic | AuthMethod::PrivateKeyJwt),
    }
}
