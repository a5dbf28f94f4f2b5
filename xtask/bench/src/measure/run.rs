//! A bench from its start to its end.

use super::Settings;
use crate::report::Row;
use std::time::Duration;

/// The time limit of a whole bench, except its preparation.
const TIME_LIMIT: Duration = Duration::from_secs(1800);

/// Runs a bench to its end, or fails after half an hour.
pub(crate) fn run_within<F>(
    settings: &Settings,
    bench: impl FnOnce(Settings) -> F,
) -> Result<Vec<Row>, String>
where
    F: Future<Output = Result<Vec<Row>, String>> + Send + 'static,
{
    run_prepared(settings, async { Ok(()) }, |settings, ()| bench(settings))
}

/// Builds and installs the prerequisites of a bench, without a time limit, then runs the bench as [`run_within`] does.
pub(crate) fn run_prepared<P, F>(
    settings: &Settings,
    prepare: impl Future<Output = Result<P, String>>,
    bench: impl FnOnce(Settings, P) -> F,
) -> Result<Vec<Row>, String>
where
    F: Future<Output = Result<Vec<Row>, String>> + Send + 'static,
{
    let runtime = settings.runtime()?;
    let prepared = runtime.block_on(prepare)?;
    let bench = bench(settings.clone(), prepared);
    // On a worker of the runtime: the main thread would add its own wake-up to each call.
    let bench = runtime.spawn(async { tokio::time::timeout(TIME_LIMIT, bench).await });
    let done = runtime.block_on(bench).map_err(|error| format!("the bench died: {error}"))?;
    done.map_err(|_| format!("the bench took longer than {TIME_LIMIT:?}"))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_limit_excludes_preparation() {
        let settings = Settings { workers: 0, rounds: 1, calls: 1, ..Settings::default() };
        let prepare = async {
            tokio::time::pause();
            tokio::time::sleep(TIME_LIMIT * 2).await;
            Ok(())
        };
        assert!(run_prepared(&settings, prepare, |_, ()| async { Ok(Vec::new()) }).is_ok());
        let slow = |_| async {
            tokio::time::pause();
            tokio::time::sleep(TIME_LIMIT * 2).await;
            Ok(Vec::new())
        };
        let error = run_within(&settings, slow).unwrap_err();
        assert_eq!(error, "the bench took longer than 1800s");
    }
}
