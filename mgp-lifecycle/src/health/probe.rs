//! Asks a server whether it lives.

use jiff::Timestamp;
use mgp_transport::seam::{CallError, ControlPeer};
use mgp_types::{
    error::ErrorCode,
    lifecycle::{HealthPing, HealthPingParams, HealthStatus},
    mcp::{PageParams, Ping, stateless::Discover},
    rpc::Empty,
};
use std::{sync::Arc, time::Duration};

/// How long a server may take to answer (§11.3).
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// How many questions in a row may stay unanswered.
const THRESHOLD: u32 = 3;

/// Asks a server whether it lives, and counts how often in a row it did not answer.
#[derive(Debug)]
pub struct HealthProbe {
    peer: ControlPeer,
    method: ProbeMethod,
    limit: Duration,
    threshold: u32,
    failures: u32,
}

/// What a server is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeMethod {
    /// `mgp/health/ping`: a peer that negotiated `lifecycle`.
    Mgp,
    /// `ping`: a plain MCP peer.
    Mcp,
    /// `server/discover`: a plain peer of a stateless revision, which has no `ping`.
    Discover,
}

/// What the answer, or its absence, says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It answered; an MGP peer also says how it is.
    Alive(Option<HealthStatus>),
    /// It did not, but not often enough in a row to give it up.
    Failing {
        /// How often in a row.
        failures: u32,
        /// Why, this time.
        why: Arc<str>,
    },
    /// It did not, as often in a row as it may, or its connection is gone.
    Dead {
        /// How often in a row.
        failures: u32,
        /// Why, this time.
        why: Arc<str>,
    },
}

impl HealthProbe {
    /// A probe with a time limit of 5 seconds that gives a server up after 3 failures in a row.
    #[must_use]
    pub fn new(peer: ControlPeer, method: ProbeMethod) -> Self {
        Self { peer, method, limit: TIME_LIMIT, threshold: THRESHOLD, failures: 0 }
    }

    /// The same probe with another time limit.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// The same probe with another number of failures in a row; 0 counts as 1.
    #[must_use]
    pub fn threshold(mut self, threshold: u32) -> Self {
        self.threshold = threshold.max(1);
        self
    }

    /// The server.
    #[must_use]
    pub fn peer(&self) -> &ControlPeer {
        &self.peer
    }

    /// Asks once.
    pub async fn probe(&mut self) -> Verdict {
        if self.peer.is_closed() {
            self.failures = self.failures.saturating_add(1);
            return Verdict::Dead { failures: self.failures, why: "the connection is gone".into() };
        }
        let answer = match tokio::time::timeout(self.limit, self.ask()).await {
            Ok(answer) => answer,
            Err(_) => Err(format!("no answer within {:?}", self.limit)),
        };
        match answer {
            Ok(status) => {
                self.failures = 0;
                Verdict::Alive(status)
            }
            Err(why) => self.failed(why.into()),
        }
    }

    fn failed(&mut self, why: Arc<str>) -> Verdict {
        self.failures = self.failures.saturating_add(1);
        let failures = self.failures;
        if failures >= self.threshold || self.peer.is_closed() {
            Verdict::Dead { failures, why }
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
            // What HTTP says of a server that it did not reach.
            Err(CallError::Peer(error)) if error.code == i64::from(ErrorCode::UpstreamUnavailable) => {
                Err(error.message)
            }
            // Who answers is alive, whatever it answers.
            Err(error @ (CallError::Peer(_) | CallError::Result { .. })) => {
                tracing::debug!(%error, "a server answered its health check in its own way");
                Ok(None)
            }
            Err(error) => Err(error.to_string()),
        }
    }
}
