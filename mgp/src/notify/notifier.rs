//! The queues of all targets, and the tasks that empty them.

use super::{notice::Notice, target::Target};
use crate::{error::CliError, exit::Exit, setup::Setup};
use mgp_discovery::config::NotifyKind;
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::sync::mpsc;

/// The most notifications that wait for one target. Further ones are lost.
pub(super) const MAX_WAITING: usize = 64;

/// The time between the two attempts at one notification.
const BEFORE_RETRY: Duration = Duration::from_secs(1);

/// A function that returns the address of the console, if it runs.
pub(crate) type ConsoleAddress = Arc<dyn Fn() -> Option<String> + Send + Sync>;

/// The queues of all targets. Clones share them.
#[derive(Clone)]
pub(crate) struct Notifier(Arc<[TargetQueue]>);

/// The notifications that wait for one target.
struct TargetQueue {
    name: String,
    waiting: mpsc::Sender<Arc<Notice>>,
    /// True after the loss of a notification was logged.
    is_full: AtomicBool,
}

impl Notifier {
    /// Starts a task for each target of `approvals.notify`. Each ends with the last clone of the notifier.
    ///
    /// # Errors
    /// If a project's file has a program among the targets, or if TLS cannot be set up.
    pub(crate) fn start(setup: &Setup, console: &ConsoleAddress) -> Result<Self, CliError> {
        let config = setup.loaded.as_ref().map(|loaded| loaded.config.approvals.clone()).unwrap_or_default();
        let mut queues = Vec::new();
        for (place, target) in config.notify.into_iter().enumerate() {
            let wrong = |problem: &str| {
                CliError::new(Exit::Configuration, format!("approvals.notify[{place}]: {problem}"))
            };
            if target.kind == NotifyKind::Command && !setup.secrets.runs_commands() {
                return Err(wrong("a project's file runs no programs for notifications")
                    .help("move the target into your own configuration"));
            }
            let target = Target::new(place, target, setup.secrets.clone());
            queues.push(TargetQueue::start(
                target.map_err(|error| wrong(&error.to_string()))?,
                console.clone(),
            ));
        }
        Ok(Self(queues.into()))
    }

    /// Queues a notification for each target. Never waits.
    pub(super) fn notify(&self, notice: Notice) {
        let notice = Arc::new(notice);
        self.0.iter().for_each(|queue| queue.add(notice.clone()));
    }

    /// Returns whether there are no targets.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[cfg(test)]
    pub(super) fn of_targets(targets: Vec<Target>, console: &ConsoleAddress) -> Self {
        Self(targets.into_iter().map(|target| TargetQueue::start(target, console.clone())).collect())
    }
}

impl TargetQueue {
    fn start(target: Target, console: ConsoleAddress) -> Self {
        let (waiting, queue) = mpsc::channel(MAX_WAITING);
        let name = target.name.clone();
        tokio::spawn(deliver_all(target, queue, console));
        Self { name, waiting, is_full: AtomicBool::new(false) }
    }

    fn add(&self, notice: Arc<Notice>) {
        let is_full = self.waiting.try_send(notice).is_err();
        if is_full && !self.is_full.swap(is_full, Ordering::Relaxed) {
            tracing::warn!(
                "notifications to {} are lost: {MAX_WAITING} of them wait for it, because it takes too long; `mgp approve` shows all questions",
                self.name
            );
        }
        if !is_full {
            self.is_full.store(false, Ordering::Relaxed);
        }
    }
}

async fn deliver_all(target: Target, mut queue: mpsc::Receiver<Arc<Notice>>, console: ConsoleAddress) {
    let mut is_failing = false;
    while let Some(notice) = queue.recv().await {
        let console = console();
        let delivered = with_retry(|| target.deliver(&notice, console.as_deref())).await;
        // Logged once for a series of failures, because a target can be away for days.
        match &delivered {
            Err(problem) if !is_failing => {
                tracing::warn!("notifications to {} are lost: {problem}", target.name);
            }
            Ok(()) if is_failing => tracing::warn!("{} takes notifications again", target.name),
            _ => {}
        }
        is_failing = delivered.is_err();
    }
}

/// Makes a second attempt if the first one fails.
pub(super) async fn with_retry<F>(attempt: impl Fn() -> F) -> Result<(), String>
where
    F: Future<Output = Result<(), String>>,
{
    if attempt().await.is_ok() {
        return Ok(());
    }
    tokio::time::sleep(BEFORE_RETRY).await;
    attempt().await
}

impl fmt::Debug for Notifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|queue| &queue.name)).finish()
    }
}
