//! An uncounted call.

use super::{CallCounters, Traffic, outcome::Outcome};
#[cfg(feature = "metrics")]
use super::{Metrics, tools::ToolMetrics};
use mgp_transport::seam::{BoxError, CallRecord, Reply, ToolCall};
use mgp_types::mcp::CallToolResult;
use std::{sync::Arc, time::Instant};

/// An uncounted call. It is counted once: by [`close`](Self::close), or when it is dropped.
#[derive(Debug)]
pub(super) struct OpenCall {
    traffic: Arc<Traffic>,
    #[cfg(feature = "metrics")]
    metrics: Option<(Arc<Metrics>, Arc<ToolMetrics>)>,
    /// The server, empty for an unknown tool.
    server_id: Arc<str>,
    record: CallRecord,
    started: Instant,
    is_counted: bool,
}

impl OpenCall {
    pub(super) fn begin<P>(counters: &CallCounters, call: &ToolCall<P>) -> Self {
        Self {
            traffic: counters.traffic.clone(),
            #[cfg(feature = "metrics")]
            metrics: counters
                .metrics
                .as_ref()
                .map(|metrics| (metrics.clone(), metrics.tool(&call.target.tool))),
            server_id: call.target.tool.server_id.clone(),
            record: call.record.clone(),
            started: Instant::now(),
            is_counted: false,
        }
    }

    /// Counts the call with its reply.
    pub(super) fn close(mut self, reply: &Result<Reply, BoxError>) {
        self.count(match reply {
            Ok(reply) if reply.is_cancelled() => Outcome::Cancelled,
            Ok(reply) if reply.as_error().is_some() => Outcome::Error,
            Ok(reply) if reply.result().is_some_and(CallToolResult::says_error) => Outcome::ToolError,
            Ok(_) => Outcome::Success,
            Err(_) => Outcome::Error,
        });
    }

    /// Counts the call by the end of its future, and by the gates' entries in its record.
    fn count(&mut self, end: Outcome) {
        if std::mem::replace(&mut self.is_counted, true) {
            return;
        }
        let (gate, is_sent) = self
            .record
            .update(|record| (record.refusal.as_ref().map(|refusal| refusal.kind), record.attempts > 0));
        // Without a result, an unsent call was refused, even if no gate recorded it. A sent call may be refused at its next attempt.
        let outcome = match (is_sent, gate) {
            (false, Some(_)) => Outcome::Refused,
            (false, None) if end == Outcome::Error => Outcome::Refused,
            (true, Some(_)) if end == Outcome::ToolError => Outcome::Error,
            _ => end,
        };
        let now = Instant::now();
        let duration = is_sent.then(|| now.duration_since(self.started));
        self.traffic.count(&self.server_id, now, (outcome, duration));
        #[cfg(feature = "metrics")]
        if let Some((metrics, tool)) = &self.metrics {
            if outcome == Outcome::Refused {
                metrics.refused(gate);
            }
            tool.count(outcome, duration);
        }
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        self.count(if std::thread::panicking() { Outcome::Error } else { Outcome::Cancelled });
    }
}
