//! Where assertions of others come from.

use crate::auth::Secret;
use async_trait::async_trait;
use mgp_transport::seam::BoxError;
use std::fmt;

/// Gives an assertion that somebody else signed: the ID token of a user, the token of a workload. It is asked each time, so
/// that it can give a new one.
#[async_trait]
pub trait SecretSource: fmt::Debug + Send + Sync {
    /// The assertion of now, for an audience: the issuer that it will be shown to.
    ///
    /// # Errors
    /// What went wrong; its text must hold no secret.
    async fn secret(&self, audience: &str) -> Result<Secret, BoxError>;
}

/// One that stays the same.
#[async_trait]
impl SecretSource for Secret {
    async fn secret(&self, _: &str) -> Result<Secret, BoxError> {
        Ok(self.clone())
    }
}
