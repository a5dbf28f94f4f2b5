//! PKCE (RFC 7636), method S256.

use crate::auth::{OAuthError, Secret, random};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};

/// The verifier and the challenge of one authorization.
#[derive(Debug)]
pub(super) struct Pkce {
    pub(super) verifier: Secret,
    pub(super) challenge: String,
}

impl Pkce {
    pub(super) fn new() -> Result<Self, OAuthError> {
        Ok(Self::of(random::text()?))
    }

    fn of(verifier: String) -> Self {
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&verifier));
        Self { verifier: verifier.into(), challenge }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_challenge_matches_the_rfc_and_verifiers_differ() {
        let pkce = Pkce::of("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".to_owned());
        assert_eq!(pkce.challenge, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
        let (one, other) = (Pkce::new().unwrap(), Pkce::new().unwrap());
        assert_ne!(one.verifier, other.verifier);
        assert_eq!(one.verifier.expose().len(), 43);
    }
}
