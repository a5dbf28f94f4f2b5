//! The seam to the network between replicas.

use crate::seam::BoxError;
use async_trait::async_trait;
use axum::body::Body;
use bytes::Bytes;
use http::{Request, Response};
use std::fmt;

/// A replica to which a request is forwarded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplicaTarget {
    /// The id of the replica, which its certificate has to name.
    pub id: String,
    /// The address that the replica advertises, such as `10.0.0.5:7434`.
    pub address: String,
}

/// The reason why a forwarded request has no response.
#[derive(Debug, thiserror::Error)]
pub enum ForwardError {
    /// The replica was not reached: it has not received the request.
    #[error("the replica was not reached: {0}")]
    Unreached(BoxError),
    /// The replica did not answer in time: it has not received the request, and another attempt would take as long.
    #[error("the replica did not answer: {0}")]
    Silent(BoxError),
    /// The connection broke after the request was sent: the replica may have handled it.
    #[error("the connection to the replica broke: {0}")]
    Lost(BoxError),
}

/// Sends requests to other replicas.
#[async_trait]
pub trait ForwardToReplica: fmt::Debug + Send + Sync {
    /// Returns the address at which the others reach this replica.
    fn address(&self) -> &str;

    /// Sends a request, and returns the response once its head has arrived. Dropping the response's body ends the request.
    async fn forward(
        &self,
        target: &ReplicaTarget,
        request: Request<Bytes>,
    ) -> Result<Response<Body>, ForwardError>;
}
