//! The wait of one call for the decisions that it needs.

use super::patience::patient_wait;
use mgp_transport::seam::{CallRecord, CancelToken, Peer, ToolCall};
use mgp_types::{
    mcp::{Progress, ProgressParams, ProgressToken},
    request_meta,
};
use serde_json::Number;
use std::time::Duration;
use tokio::time::{Instant, interval_at, sleep_until, timeout_at};

/// The time after which the host is first notified of a wait.
const FIRST: Duration = Duration::from_secs(1);
/// The interval of further notifications.
const EVERY: Duration = Duration::from_secs(5);

/// The time limit of a wait if the given one overflows the clock: thirty years.
const FOREVER: Duration = Duration::from_secs(946_080_000);

/// The progress that one notification adds. The steps are tiny because the tool's own progress follows, which may begin anywhere
/// above 0, and progress must grow.
const STEP: f64 = 1e-6;

/// The wait of one call for the decisions that it needs: the time limit applies to all of them together.
#[derive(Debug)]
pub(super) struct Wait {
    until: Instant,
    cancel: Option<CancelToken>,
    host: Option<Peer>,
    /// The host's progress token, if the host requests notifications of progress.
    token: Option<ProgressToken>,
    record: CallRecord,
}

/// The reason for the end of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitEnd {
    /// The time limit has passed, or the host sends no more requests. The call is answered at once, and a decision holds for the repeated
    /// call.
    TimedOut,
    /// The caller has cancelled the call.
    Cancelled,
}

impl Wait {
    /// Returns the wait of a call, which begins with the first question about it. It is shorter if the host is known to time out sooner.
    pub(super) fn of(call: &ToolCall, limit: Duration) -> Self {
        let limit = patient_wait(call.session(), limit);
        let since = call.record.update(|record| *record.waits_since.get_or_insert_with(Instant::now));
        Self {
            until: since.checked_add(limit).unwrap_or(since + FOREVER),
            cancel: call.cancel_token().cloned(),
            host: call.peer().cloned(),
            token: call.params.object().ok().and_then(request_meta::progress_token),
            record: call.record.clone(),
        }
    }

    /// Returns when the wait ends, and notifies the host of the progress meanwhile. `what` is the text of a notification.
    pub(super) async fn over(&self, what: impl Fn() -> String) -> WaitEnd {
        let mut ticks = interval_at(Instant::now() + FIRST, EVERY);
        loop {
            tokio::select! {
                biased;
                () = self.cancelled() => return WaitEnd::Cancelled,
                () = sleep_until(self.until) => return WaitEnd::TimedOut,
                () = self.draining() => return WaitEnd::TimedOut,
                _ = ticks.tick(), if self.token.is_some() => self.tell(what()).await,
            }
        }
    }

    async fn cancelled(&self) {
        match &self.cancel {
            Some(cancel) => cancel.cancelled().await,
            None => std::future::pending().await,
        }
    }

    /// Waits until the host sends no more requests: it has closed its end, or this program is being stopped.
    async fn draining(&self) {
        match &self.host {
            Some(host) => host.draining().await,
            None => std::future::pending().await,
        }
    }

    async fn tell(&self, what: String) {
        let (Some(peer), Some(token)) = (&self.host, &self.token) else { return };
        let step = self.record.update(|record| {
            record.notices = record.notices.saturating_add(1);
            record.notices
        });
        let Some(progress) = Number::from_f64(f64::from(step) * STEP) else { return };
        let params = ProgressParams {
            progress_token: token.clone(),
            progress,
            total: None,
            message: Some(what),
            meta: None,
            mgp: None,
        };
        // A host that does not read must not delay the end of the wait.
        if let Ok(Err(error)) = timeout_at(self.until, peer.notice::<Progress>(&params)).await {
            tracing::debug!(%error, "the host could not be notified that its call waits");
        }
    }
}
