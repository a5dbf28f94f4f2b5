//! Runs commands for the console, in the process of the gateway.

use crate::{
    error::CliError,
    input::with_input,
    operator::as_operator,
    options::Options,
    output::Outcome,
    own_kernel::in_gateway,
    setup::{Reloader, Setup},
};
use async_trait::async_trait;
use futures_util::{
    StreamExt,
    future::LocalBoxFuture,
    stream::{self, BoxStream},
};
use mgp_console::{CommandError, Commands, LiveEvent, Operator};
use mgp_security::audit::{AuditFilter, AuditPosition, AuditReader};
use serde::Deserialize;
use std::{sync::Arc, time::Duration};
use tokio::runtime::Handle;

/// The interval between two reads of the audit trail, while somebody follows it.
const PAUSE: Duration = Duration::from_millis(250);
/// The most events of a read. A page that is read too slowly loses no event, because it asks for the next one.
const PAGE: u32 = 200;

/// The function that runs the words of a command line, with options for those that the words do not set.
pub(crate) type RunLine = fn(Options, Vec<String>) -> LocalBoxFuture<'static, Result<Outcome, CliError>>;

/// The commands of the program, with the options of the gateway.
#[derive(Debug)]
pub(super) struct GatewayCommands {
    options: Options,
    run_line: RunLine,
    /// Knows the kernel of the gateway.
    reloader: Arc<Reloader>,
}

impl GatewayCommands {
    pub(super) fn new(options: &Options, run_line: RunLine, reloader: Arc<Reloader>) -> Self {
        Self { options: Options { json: true, verbose: 0, ..options.clone() }, run_line, reloader }
    }
}

#[async_trait]
impl Commands for GatewayCommands {
    async fn run(&self, operator: &Operator, words: &[String]) -> Result<String, CommandError> {
        self.run_command(operator, words, None).await
    }

    async fn run_with_input(
        &self,
        operator: &Operator,
        words: &[String],
        input: &str,
    ) -> Result<String, CommandError> {
        self.run_command(operator, words, Some(input.to_owned())).await
    }

    fn follow(&self) -> BoxStream<'static, LiveEvent> {
        let (options, kernel) = (self.options.clone(), self.reloader.kernel());
        let start = stream::once(async move { Box::pin(in_gateway(kernel, Trail::open(&options))).await });
        let events =
            start.filter_map(async |trail| trail.ok()).flat_map(|trail| stream::unfold(trail, Trail::next));
        events.flat_map(stream::iter).boxed()
    }
}

impl GatewayCommands {
    async fn run_command(
        &self,
        operator: &Operator,
        words: &[String],
        input: Option<String>,
    ) -> Result<String, CommandError> {
        let (options, words, run_line) = (self.options.clone(), words.to_vec(), self.run_line);
        let (name, gateway, kernel) = (operator.name.clone(), Handle::current(), self.reloader.kernel());
        // The futures of commands cannot move between threads, so each command has one. It ends as on a command line, also if nobody waits.
        let ran = tokio::task::spawn_blocking(move || {
            let command = run_line(options, words);
            let ran = gateway.block_on(as_operator(&name, async {
                match input {
                    Some(input) => in_gateway(kernel, with_input(input, command)).await,
                    None => in_gateway(kernel, command).await,
                }
            }));
            ran.as_ref().map(Outcome::json).map_err(reported)
        });
        ran.await.unwrap_or_else(|error| Err(CommandError::new("failed", error.to_string())))
    }
}

/// The audit trail from now on.
struct Trail {
    reader: Box<dyn AuditReader>,
    at: AuditPosition,
    has_more: bool,
}

impl Trail {
    async fn open(options: &Options) -> Result<Self, CliError> {
        let setup = Setup::load_for_state(options).await?;
        let reader = setup.audit_reader(false).await?;
        let page = reader.latest_page(AuditFilter { last: 0, ..AuditFilter::default() }).await?;
        Ok(Self { reader, at: page.next, has_more: false })
    }

    /// Waits for further events; `None` if the trail cannot be read any more.
    async fn next(self) -> Option<(Vec<LiveEvent>, Self)> {
        if !self.has_more {
            tokio::time::sleep(PAUSE).await;
        }
        let filter = AuditFilter { last: PAGE, ..AuditFilter::default() };
        let page = self.reader.after(self.at, filter).await.ok()?;
        let event = |event| serde_json::to_string(event).ok().map(|json| LiveEvent { json });
        let events = page.events.iter().filter_map(event).collect();
        Some((events, Self { at: page.next, has_more: page.has_more, ..self }))
    }
}

/// Returns the error of a command as it is in its JSON.
fn reported(error: &CliError) -> CommandError {
    #[derive(Deserialize)]
    struct Report {
        error: CommandError,
    }
    let report = serde_json::from_str::<Report>(&error.to_json());
    let mut found =
        report.map_or_else(|_| CommandError::new("failed", error.message()), |report| report.error);
    found.result = error.result();
    found.trace = error.trace().map(Into::into);
    found
}
