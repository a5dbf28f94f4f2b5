//! Cryptographically random tokens.

use super::OAuthError;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

/// Returns 32 random bytes as 43 characters that are safe in a URL.
pub(super) fn text() -> Result<String, OAuthError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| OAuthError::Random(error.to_string()))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}
