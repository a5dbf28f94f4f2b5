//! The trait of sources of assertions that other parties sign.

use crate::auth::Secret;
use async_trait::async_trait;
use mgp_transport::seam::BoxError;
use std::fmt;

/// A source of assertions that another party signs: the ID token of a user, the token of a workload. The source is queried each
/// time an assertion is needed, and may return a new one.
#[async_trait]
pub trait SecretSource: fmt::Debug + Send + Sync {
    /// Returns a current assertion for an audience: the issuer that the assertion will be shown to.
    ///
    /// # Errors
    /// Any error of the source; its text must not contain a secret.
    async fn secret(&self, audience: &str) -> Result<Secret, BoxError>;
}

/// A source whose assertion stays the same.
#[async_trait]
impl SecretSource for Secret {
    async fn secret(&self, _: &str) -> Result<Secret, BoxError> {
        Ok(self.clone())
    }
}
