//! Reloads the configuration of a running kernel on SIGHUP, and when its file changes.

use crate::{
    output::{note, say},
    setup::Reloader,
};
use mgp_types::context::{ActorType, Principal};
use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, SystemTime},
};

/// The interval between two checks of the files.
const LOOK: Duration = Duration::from_secs(2);

/// The maximum interval, after failed changes.
const LONGEST: Duration = Duration::from_secs(60);

/// The modification time and size of each file, for detecting changes.
type Stamps = Vec<(PathBuf, Option<(SystemTime, u64)>)>;

/// Reloads the configuration on SIGHUP, and when its file or its policy file has changed and then stayed the same for one interval. Reports
/// on stderr the changes, or the reason why there are none. A failed change is retried with growing pauses. Runs until the process ends.
pub(crate) async fn follow(reloader: Arc<Reloader>) {
    let mut hangups = hangups();
    let mut known = stamps(&reloader).await;
    let mut seen = known.clone();
    let (mut pause, mut failure) = (LOOK, None);
    loop {
        let asked = tokio::select! {
            () = hangups.next() => true,
            () = tokio::time::sleep(pause) => false,
        };
        if !asked {
            let now = stamps(&reloader).await;
            let is_settled = now == seen;
            seen = now;
            // A file that is being replaced is missing for a moment.
            let is_there = seen.first().is_some_and(|(_, stamp)| stamp.is_some());
            if (seen == known && failure.is_none()) || !is_settled || !is_there {
                continue;
            }
        }
        // Read before the files: a change after this point is another change.
        known = stamps(&reloader).await;
        seen = known.clone();
        let by = Principal::new("kernel", ActorType::Kernel, true);
        match Box::pin(reloader.reload(&by)).await {
            Ok(change) => {
                change.to_string().lines().for_each(|line| note(&format!("configuration reloaded: {line}")));
                (pause, failure) = (LOOK, None);
            }
            Err(error) => {
                let text = error.to_text();
                if asked || failure.as_ref() != Some(&text) {
                    say(&format!("{text}\nnote: the configuration stays as it was"));
                    pause = LOOK;
                }
                (pause, failure) = ((pause * 2).min(LONGEST), Some(text));
            }
        }
        // The policy file may have changed.
        let files: Vec<_> = reloader.files().await;
        if !files.iter().eq(known.iter().map(|(path, _)| path)) {
            known = stamps(&reloader).await;
            seen = known.clone();
        }
    }
}

async fn stamps(reloader: &Reloader) -> Stamps {
    let stamp = |path: PathBuf| {
        let stamp = std::fs::metadata(&path).and_then(|found| Ok((found.modified()?, found.len()))).ok();
        (path, stamp)
    };
    reloader.files().await.into_iter().map(stamp).collect()
}

/// The signals that trigger a reload: SIGHUP; none on Windows.
struct Hangups {
    #[cfg(unix)]
    signal: Option<tokio::signal::unix::Signal>,
}

fn hangups() -> Hangups {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        Hangups { signal: signal(SignalKind::hangup()).ok() }
    }
    #[cfg(not(unix))]
    Hangups {}
}

impl Hangups {
    async fn next(&mut self) {
        #[cfg(unix)]
        if let Some(signal) = &mut self.signal
            && signal.recv().await.is_some()
        {
            return;
        }
        std::future::pending::<()>().await;
    }
}
