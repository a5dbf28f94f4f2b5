//! The choice of a client's authentication method at the token endpoint.

use crate::auth::{OAuthError, RegisteredClient, discovery::ServerMetadata, store::AuthMethod};

/// Returns the authentication method of a client of the settings: the one that it names, or else the strongest that both sides support.
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

/// Returns the authentication method of a client with a secret.
pub(super) fn with_secret(server: &ServerMetadata) -> AuthMethod {
    let methods = [AuthMethod::ClientSecretBasic, AuthMethod::ClientSecretPost, AuthMethod::None];
    methods.into_iter().find(|method| offers(server, *method)).unwrap_or(AuthMethod::ClientSecretBasic)
}

/// Returns the authentication method for a dynamic registration: [`AuthMethod::None`] if the server supports it.
pub(super) fn to_register(server: &ServerMetadata) -> AuthMethod {
    let methods = [AuthMethod::None, AuthMethod::ClientSecretBasic, AuthMethod::ClientSecretPost];
    methods.into_iter().find(|method| offers(server, *method)).unwrap_or(AuthMethod::ClientSecretBasic)
}

/// Returns `true` if `server` offers `method`. A server that lists no methods offers HTTP Basic (RFC 8414 §2).
fn offers(server: &ServerMetadata, method: AuthMethod) -> bool {
    match &server.auth_methods {
        Some(methods) => methods.iter().any(|name| name == method.as_str()),
        // A client has a key only if a person configured one for this server, so private_key_jwt is tried, too.
        None => matches!(method, AuthMethod::ClientSecretBasic | AuthMethod::PrivateKeyJwt),
    }
}
