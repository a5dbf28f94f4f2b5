//! The principal that a token identifies.

use super::claims::Claims;
use mgp_transport::seam::{CredentialError, Scopes};
use mgp_types::context::Principal;

/// The longest id of an agent, in bytes.
const MAX_ID: usize = 256;

/// The mapping of a token's claims to a principal.
#[derive(Debug, Clone)]
pub(super) struct Subject {
    /// The claim that holds the agent's id.
    pub(super) agent_claim: String,
    /// The claim, and its value, that grant the admin role. `None` if no claim does.
    pub(super) admin_claim: Option<(String, String)>,
}

impl Subject {
    /// Returns the principal of a token. `admin` are the scopes that grant the admin role; if there are none, no scope grants it.
    pub(super) fn principal(
        &self,
        claims: &Claims,
        prefix: &str,
        scopes: &Scopes,
        admin: &Scopes,
    ) -> Result<Principal, CredentialError> {
        let claim = &self.agent_claim;
        let id = claims.0.text(claim).map(|id| format!("{prefix}{id}"));
        let fits = |id: &String| {
            id.len() > prefix.len()
                && id.len() <= MAX_ID
                && !id.chars().any(char::is_control)
                && id.trim() == id
        };
        let id = id.filter(fits).ok_or_else(|| {
            CredentialError::invalid_token(format!(
                "the token names no agent: expected 1 to {MAX_ID} bytes of text in {claim}"
            ))
        })?;
        let by_scope = !admin.is_empty() && scopes.contains_all(admin);
        let by_claim =
            self.admin_claim.as_ref().is_some_and(|(claim, value)| claims.names(claim).contains(value));
        let agent = Principal::agent(&id);
        Ok(if by_scope || by_claim { agent.with_admin() } else { agent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::json::RawObject;

    fn principal(claims: &str, scopes: &str) -> Result<Principal, CredentialError> {
        let subject =
            Subject { agent_claim: "client_id".into(), admin_claim: Some(("roles".into(), "boss".into())) };
        let claims = Claims(RawObject::parse(claims.to_owned()).unwrap());
        subject.principal(&claims, "a:", &Scopes::parse(scopes), &Scopes::parse("x y"))
    }

    #[test]
    fn the_agent_comes_from_the_claim() {
        assert_eq!(principal(r#"{"client_id":"me"}"#, "x").unwrap(), Principal::agent("a:me"));
        let long = format!(r#"{{"client_id":"{}"}}"#, "m".repeat(300));
        for claims in ["{}", r#"{"client_id":""}"#, r#"{"client_id":7}"#, r#"{"client_id":"a\nb"}"#, &long] {
            assert!(matches!(principal(claims, ""), Err(CredentialError::InvalidToken { .. })), "{claims}");
        }
    }

    #[test]
    fn the_admin_role_needs_all_its_scopes_or_its_claim() {
        let is_admin = |claims, scopes| principal(claims, scopes).unwrap().is_admin();
        assert!(!is_admin(r#"{"client_id":"me"}"#, "x"));
        assert!(is_admin(r#"{"client_id":"me"}"#, "x y z"));
        assert!(is_admin(r#"{"client_id":"me","roles":"boss"}"#, ""));
        assert!(is_admin(r#"{"client_id":"me","roles":["a","boss"]}"#, ""));
        assert!(!is_admin(r#"{"client_id":"me","roles":["bosses"]}"#, ""));
    }
}
