//! Runs rounds until every handle of the trail is dropped.

use super::{Confirmation, Copier, CopierHandle, round::Rounds};
use crate::audit::{
    AuditError,
    log::{
        database::AuditDatabase,
        notes,
        writer::{Job, Writer},
    },
};
use jiff::Timestamp;
use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, sleep},
};

/// The pause between two rounds while nobody waits.
const PAUSE: Duration = Duration::from_millis(200);
/// The interval at which the journals of other processes are looked for while nobody waits.
const INDEX: Duration = Duration::from_secs(2);
/// The pause after a first failure, which doubles with each further one up to a maximum.
const RETRY: Duration = Duration::from_millis(250);
const LONGEST_RETRY: Duration = Duration::from_secs(2);
/// The interval at which old days are removed from the database.
const RETENTION: Duration = Duration::from_secs(60);

impl CopierHandle {
    /// Starts to copy the events of a trail.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub(in super::super) fn start(
        writer: Arc<Writer>,
        jobs: mpsc::WeakSender<Job>,
        database: AuditDatabase,
        confirmation: Confirmation,
        age: Option<Duration>,
    ) -> Self {
        let copier = Arc::new(Copier::new(database, confirmation, age));
        tokio::spawn(run(copier.clone(), writer, jobs));
        Self(copier)
    }
}

async fn run(copier: Arc<Copier>, writer: Arc<Writer>, jobs: mpsc::WeakSender<Job>) {
    let (mut rounds, mut failures) = (Rounds::default(), 0_u32);
    let (mut index_at, mut shorten_at) = (Instant::now(), Instant::now() + PAUSE);
    while !copier.is_ended.load(Ordering::Acquire) {
        let waiting = copier.take_waiting();
        let index = !waiting.is_empty() || Instant::now() >= index_at;
        if index {
            index_at = Instant::now() + INDEX;
        }
        let outcome = rounds.run(&writer, &copier.database, index).await;
        let pause = match &outcome {
            Ok(()) => {
                failures = 0;
                recovered(&copier, &writer, &jobs);
                PAUSE
            }
            Err(reason) => {
                if failures == 0 {
                    tracing::warn!(reason, "audit events are not copied to the database; retrying");
                }
                failures = failures.saturating_add(1);
                if copier.confirmation == Confirmation::Required {
                    copier.health.fails(reason, waiting.len());
                }
                pause_after(failures)
            }
        };
        for caller in waiting {
            // The caller may no longer wait.
            let _ = caller.send(outcome.clone().map_err(|reason| AuditError::new(&reason)));
        }
        if let Some(age) = copier.age.filter(|_| failures == 0 && Instant::now() >= shorten_at) {
            shorten_at = Instant::now() + RETENTION;
            match copier.database.shorten(age, Timestamp::now()).await {
                Ok(0) => {}
                Ok(days) => {
                    tracing::info!(
                        days,
                        "the oldest days of the audit trails were removed from the database"
                    );
                }
                Err(error) => tracing::warn!(
                    %error, "the oldest days of the audit trails could not be removed from the database; it is tried again in a minute"
                ),
            }
        }
        tokio::select! {
            () = copier.wake.notified(), if failures == 0 => {}
            () = sleep(pause) => {}
        }
    }
    for caller in copier.take_waiting() {
        let _ = caller.send(Err(AuditError::new("the audit trail is closed")));
    }
}

/// Ends an outage of the database, with an event that reports the failures and refusals in it.
fn recovered(copier: &Copier, writer: &Arc<Writer>, jobs: &mpsc::WeakSender<Job>) {
    let Some(outage) = copier.health.untold() else { return };
    if outage.says_something() {
        let Ok(row) = notes::interrupted(&outage) else { return };
        let Some(jobs) = jobs.upgrade() else { return };
        // It is tried again with the next round.
        if jobs.try_send(Job::Store(row, oneshot::channel().0, writer.hand())).is_err() {
            return;
        }
    }
    copier.health.works(&outage);
}

fn pause_after(failures: u32) -> Duration {
    RETRY.saturating_mul(1 << failures.saturating_sub(1).min(6)).min(LONGEST_RETRY)
}
