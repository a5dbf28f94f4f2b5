//! A text that is never shown.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A text that is never shown: a token, a password, a key.
///
/// ```
/// use mgp_client_sdk::auth::Secret;
///
/// assert_eq!(format!("{:?}", Secret::from("hush")), "Secret(..)");
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Returns the text itself, for the code that sends it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}
