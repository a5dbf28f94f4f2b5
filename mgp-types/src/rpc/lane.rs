//! The lane of a connection on which a request is served.

use super::Call;
use crate::{callback::RespondCallback, lifecycle::HealthPing, mcp::Ping, stream::CancelStream};

/// The lane of a connection on which a request is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lane {
    /// In the order of the wire, within the connection's limits.
    Ordinary,
    /// Ahead of everything else and without limits, because other work waits for the answer.
    Priority,
}

impl Lane {
    /// Returns the lane of a method.
    #[must_use]
    pub fn of(method: &str) -> Self {
        match method {
            Ping::METHOD | HealthPing::METHOD | CancelStream::METHOD | RespondCallback::METHOD => {
                Self::Priority
            }
            _ => Self::Ordinary,
        }
    }
}
