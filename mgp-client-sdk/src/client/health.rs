//! §11.3 The health of the server.

use super::Client;
use mgp_transport::seam::CallError;
use mgp_types::{
    lifecycle::{CheckHealth, HealthStatusResult},
    negotiation::Extension,
    rpc::{Empty, ErrorObject, JsonRpcCode},
};

impl Client {
    /// Queries the health of the server (§11.3), with its numbers and checks.
    ///
    /// ```
    /// # use mgp_client_sdk::{CallError, client::Client};
    /// # async fn check(client: &Client) -> Result<(), CallError> {
    /// let health = client.health().await?;
    /// println!("{}, {:?} requests in flight", health.status, health.pending_requests);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`CallError`], also if the server did not negotiate `lifecycle` (-32601); [`ping`](Self::ping) asks every server whether it answers.
    pub async fn health(&self) -> Result<HealthStatusResult, CallError> {
        if !self.negotiated().is_some_and(|negotiated| negotiated.has(Extension::Lifecycle)) {
            let error = "the server did not negotiate the extension \"lifecycle\"";
            return Err(CallError::Peer(ErrorObject::new(JsonRpcCode::MethodNotFound, error)));
        }
        self.request::<CheckHealth>(&Empty::default()).await
    }
}
