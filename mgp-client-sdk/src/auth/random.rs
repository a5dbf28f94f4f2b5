//! What cannot be guessed.

use super::OAuthError;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

/// 32 random bytes as 43 characters that may stand in a URL.
pub(super) fn text() -> Result<String, OAuthError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| OAuthError::Random(error.to_string()))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}
