//! Asks a server whether it is alive.

use jiff::Timestamp;
use mgp_transport::seam::{CallError, ControlPeer};
use mgp_types::{
    error::ErrorCode,
    lifecycle::{HealthPing, HealthPingParams, HealthStatus},
    mcp::{Discover, PageParams, Ping},
    rpc::Empty,
};
use std::{sync::Arc, time::Duration};

/// The time limit of a server's answer (§11.3).
const TIMEOUT: Duration = Duration::from_secs(5);

/// The number of failures in a row after which a server is given up.
const THRESHOLD: u32 = 3;

/// A probe that asks a server whether it is alive, and counts the unanswered requests in a row.
#[derive(Debug)]
pub struct HealthProbe {
    peer: ControlPeer,
    method: ProbeMethod,
    limit: Duration,
    threshold: u32,
    failures: u32,
}

/// The method of the request to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeMethod {
    /// `mgp/health/ping`, for a peer that negotiated `lifecycle`.
    Mgp,
    /// `ping`, for a plain MCP peer.
    Mcp,
    /// `server/discover`, for a plain peer of a stateless revision, which has no `ping`.
    Discover,
}

/// The conclusion from an answer, or from its absence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The server answered; an MGP peer also reports its status.
    Alive(Option<HealthStatus>),
    /// The server did not answer, but not often enough in a row to be given up.
    Failing {
        /// The number of failures in a row.
        failures: u32,
        /// The reason for this failure.
        why: Arc<str>,
    },
    /// The number of unanswered requests in a row reached the threshold, or the connection is gone.
    Dead {
        /// The number of failures in a row.
        failures: u32,
        /// The reason for this failure.
        why: Arc<str>,
        /// True if the server did not answer in time, and false if it was not reached.
        is_silent: bool,
    },
}

impl HealthProbe {
    /// Creates a probe with a time limit of 5 seconds that gives a server up after 3 failures in a row.
    #[must_use]
    pub fn new(peer: ControlPeer, method: ProbeMethod) -> Self {
        Self { peer, method, limit: TIMEOUT, threshold: THRESHOLD, failures: 0 }
    }

    /// Sets the time limit of one answer.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Sets the number of failures in a row after which the server is given up; 0 counts as 1.
    #[must_use]
    pub fn threshold(mut self, threshold: u32) -> Self {
        self.threshold = threshold.max(1);
        self
    }

    /// Returns the server's connection.
    #[must_use]
    pub fn peer(&self) -> &ControlPeer {
        &self.peer
    }

    /// Asks the server once.
    pub async fn probe(&mut self) -> Verdict {
        if self.peer.is_closed() {
            self.failures = self.failures.saturating_add(1);
            let why = "the connection is gone".into();
            return Verdict::Dead { failures: self.failures, why, is_silent: false };
        }
        match tokio::time::timeout(self.limit, self.ask()).await {
            Ok(Ok(status)) => {
                self.failures = 0;
                Verdict::Alive(status)
            }
            Ok(Err(why)) => self.failed(why.into(), false),
            Err(_) => self.failed(format!("no answer within {:?}", self.limit).into(), true),
        }
    }

    fn failed(&mut self, why: Arc<str>, is_silent: bool) -> Verdict {
        self.failures = self.failures.saturating_add(1);
        let failures = self.failures;
        if failures >= self.threshold || self.peer.is_closed() {
            Verdict::Dead { failures, why, is_silent }
        } else {
            Verdict::Failing { failures, why }
        }
    }

    async fn ask(&self) -> Result<Option<HealthStatus>, String> {
        let answer = match self.method {
            ProbeMethod::Mcp => self.peer.request::<Ping>(&Empty::default()).await.map(|_| None),
            ProbeMethod::Discover => {
                self.peer.request_raw::<Discover>(&PageParams::default()).await.map(|_| None)
            }
            ProbeMethod::Mgp => {
                let params = HealthPingParams { timestamp: Some(format!("{:.3}", Timestamp::now())) };
                self.peer.request::<HealthPing>(&params).await.map(|result| Some(result.status))
            }
        };
        match answer {
            Ok(status) => Ok(status),
            // The error that the HTTP transport reports for a server that it could not reach.
            Err(CallError::Peer(error)) if error.code == i64::from(ErrorCode::UpstreamUnavailable) => {
                Err(error.message)
            }
            // A server that answers at all is alive.
            Err(error @ (CallError::Peer(_) | CallError::Result { .. })) => {
                tracing::debug!(%error, "a server answered its health check with an unexpected reply");
                Ok(None)
            }
            Err(error) => Err(error.to_string()),
        }
    }
}
