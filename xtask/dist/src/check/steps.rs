//! The timed steps of one package.

use std::time::{Duration, Instant};

/// The steps of one package, with their times.
#[derive(Debug, Default)]
pub(super) struct Steps(Vec<(&'static str, Duration)>);

impl Steps {
    /// Waits for a step, and notes its time.
    pub(super) async fn step<T>(
        &mut self,
        name: &'static str,
        work: impl Future<Output = Result<T, String>>,
    ) -> Result<T, String> {
        let start = Instant::now();
        let result = work.await.map_err(|error| format!("{name}: {error}"));
        self.0.push((name, start.elapsed()));
        result
    }

    pub(super) fn text(&self) -> String {
        let steps = self.0.iter().map(|(name, time)| format!("{name} {:.1}", time.as_secs_f64()));
        steps.collect::<Vec<_>>().join(", ")
    }

    pub(super) fn total(&self) -> Duration {
        self.0.iter().map(|(_, time)| *time).sum()
    }
}
