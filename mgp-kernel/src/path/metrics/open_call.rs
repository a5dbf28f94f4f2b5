//! An uncounted call.

use super::{
    Metrics,
    tools::{Outcome, ToolMetrics},
};
use mgp_transport::seam::{BoxError, CallRecord, Reply, ToolCall};
use mgp_types::mcp::CallToolResult;
use std::{sync::Arc, time::Instant};

/// An uncounted call. It is counted once: by [`close`](Self::close), or when it is dropped.
#[derive(Debug)]
pub(super) struct OpenCall {
    metrics: Arc<Metrics>,
    tool: Arc<ToolMetrics>,
    record: CallRecord,
    started: Instant,
    is_counted: bool,
}

impl OpenCall {
    pub(super) fn begin<P>(metrics: &Arc<Metrics>, call: &ToolCall<P>) -> Self {
        Self {
            tool: metrics.tool(&call.target.tool),
            metrics: metrics.clone(),
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
        if outcome == Outcome::Refused {
            self.metrics.refused(gate);
        }
        self.tool.count(outcome, is_sent.then(|| self.started.elapsed()));
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        self.count(if std::thread::panicking() { Outcome::Error } else { Outcome::Cancelled });
    }
}
