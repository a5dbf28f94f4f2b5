//! A build that sends no spans.

use crate::{error::CliError, exit::Exit, setup::Setup};

/// The export of spans, which this build does not have.
#[derive(Debug)]
pub(crate) struct TraceExport;

impl TraceExport {
    /// Rejects a configuration that names a collector.
    #[expect(clippy::unused_async, reason = "with the feature it reads a secret")]
    pub(crate) async fn start(setup: &Setup) -> Result<Self, CliError> {
        let is_wanted = setup.loaded.as_ref().is_some_and(|loaded| loaded.config.telemetry.traces.is_some());
        if is_wanted {
            let message = "telemetry.traces needs the feature `otlp`, which this build does not have";
            let error = CliError::new(Exit::Configuration, message);
            return Err(error.help(
                "build one that has: `cargo install --path mgp --features otlp` in a checkout of the project",
            ));
        }
        Ok(Self)
    }

    /// Has nothing to send.
    #[expect(clippy::unused_async, reason = "with the feature it waits")]
    pub(crate) async fn finish(self) {}
}
