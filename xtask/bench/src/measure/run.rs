//! A bench from its start to its end.

use super::Settings;
use crate::report::Row;
use std::time::Duration;

/// The time limit of a whole bench.
const TIME_LIMIT: Duration = Duration::from_secs(1800);

/// Runs a bench to its end, or fails after half an hour.
pub(crate) fn run_within<F>(
    settings: &Settings,
    bench: impl FnOnce(Settings) -> F,
) -> Result<Vec<Row>, String>
where
    F: Future<Output = Result<Vec<Row>, String>> + Send + 'static,
{
    let runtime = settings.runtime()?;
    let bench = bench(settings.clone());
    // On a worker of the runtime: the main thread would add its own wake-up to each call.
    let bench = runtime.spawn(async { tokio::time::timeout(TIME_LIMIT, bench).await });
    let done = runtime.block_on(bench).map_err(|error| format!("the bench died: {error}"))?;
    done.map_err(|_| format!("the bench took longer than {TIME_LIMIT:?}"))?
}
