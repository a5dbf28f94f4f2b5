//! The reasons why a replica cannot be reached by the others.

use crate::seam::BoxError;
use std::{io, net::SocketAddr};

/// The reason why the network of a replica cannot be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplicaNetworkError {
    /// The address cannot be bound: another program has it, or it is not one of this machine.
    #[error("failed to bind {address} for replicas: {error}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The error of the operating system.
        error: io::Error,
    },
    /// Other replicas cannot connect to the address that is bound.
    #[error("replicas cannot reach {0}: expected an address to advertise, such as 10.0.0.5:7434")]
    NoAddress(SocketAddr),
    /// The address to advertise is invalid.
    #[error("invalid address to advertise: {0:?}; expected a host and a port, such as 10.0.0.5:7434")]
    Advertised(String),
    /// The store of the replicas has no authority, or an unreadable one.
    #[error("failed to read the authority of the replicas: {0}")]
    Store(BoxError),
    /// No certificate could be made.
    #[error("failed to make the certificate of this replica: {0}")]
    Certificate(BoxError),
}
