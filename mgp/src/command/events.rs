//! `mgp events`: prints events of running kernels as they happen.

use crate::{
    control::running_kernels,
    error::CliError,
    options::Options,
    output::{Outcome, local_time, note, on_one_line, print, print_json},
    setup::Setup,
    signals::Signals,
};
use clap::Args;
use futures_util::future::join_all;
use mgp_client_sdk::client::{EventItem, EventStream};
use mgp_transport::seam::CallError;
use mgp_types::{
    events::{EventFilter, EventParams, SubscribeParams},
    json::RawJson,
    mcp::LoggingLevel,
    negotiation::Extension,
};
use serde::Serialize;
use std::collections::BTreeSet;
use tokio::sync::mpsc;

/// Follow the events of running gateways and their servers, until Ctrl-C; with --json, one event per line
///
/// The gateway's own channels are tool.called, tool.failed, tool.changed, security.refused, security.approval_needed, security.approval_decided,
/// system.server_state and system.audit. A server's channels are included if `mgp access grant`
/// lets the name of your account, which is $USER, use the server.
#[derive(Debug, Args)]
pub(crate) struct EventsArgs {
    /// The channels, such as tool.failed; `security.*` matches all channels with the prefix. All channels by default
    #[arg(value_name = "CHANNEL")]
    channels: Vec<String>,
    /// Only events from or about this server; may be given several times
    #[arg(long, value_name = "ID")]
    server: Vec<String>,
    /// The minimum severity: debug, info, notice, warning, error, critical, alert or emergency
    #[arg(long, value_name = "LEVEL")]
    min_severity: Option<LoggingLevel>,
    /// Only the gateway with this process id
    #[arg(long)]
    pid: Option<u32>,
}

/// The maximum number of items waiting to be printed. If it is reached, a kernel drops its oldest events and reports
/// the loss.
const WAITING: usize = 64;

/// An event, as JSON.
#[derive(Serialize)]
struct Line<'a> {
    pid: u32,
    #[serde(flatten)]
    event: &'a EventParams,
}

pub(crate) async fn run(options: &Options, args: EventsArgs) -> Result<Outcome, CliError> {
    let setup = Setup::load_for_state(options).await?;
    let kernels = running_kernels(&setup, args.pid, [Extension::Events].into_iter().collect()).await?;
    let params = params(&args);
    let (sender, mut items) = mpsc::channel(WAITING);
    let mut channels = BTreeSet::new();
    let subscribing = kernels.iter().map(|kernel| kernel.client.subscribe_events(params.clone()));
    let mut refused = Vec::new();
    for (kernel, stream) in kernels.iter().zip(join_all(subscribing).await) {
        match stream {
            Ok(stream) => {
                channels.extend(stream.channels());
                tokio::spawn(read(kernel.pid, stream, sender.clone()));
            }
            Err(error) => refused.push((kernel.pid, error)),
        }
    }
    drop(sender);
    if refused.len() == kernels.len()
        && let Some((_, error)) = refused.pop()
    {
        return Err(error.into());
    }
    for (pid, error) in &refused {
        note(&format!("the events of the gateway of process {pid} are not followed: {error}"));
    }
    // Signals are handled from here on: until the kernels are subscribed to, a signal ends the program as usual.
    let mut signals = Signals::listen()?;
    note(&listening(&params.channels, &channels));
    loop {
        let item = tokio::select! {
            item = items.recv() => item,
            () = signals.next() => None,
        };
        match item {
            Some((pid, Ok(EventItem::Event(event)))) => show(options, pid, &event, kernels.len() > 1),
            Some((pid, Ok(EventItem::Missed(Some(count))))) => {
                note(&format!("{count} events of the gateway of process {pid} were lost"));
            }
            Some((pid, Ok(_))) => {
                note(&format!("events of the gateway of process {pid} may be missing"));
            }
            Some((pid, Err(error))) => {
                note(&format!("no more events of the gateway of process {pid}: {error}"));
            }
            // All kernels have ended, or a signal arrived.
            None => return Ok(Outcome::silent()),
        }
    }
}

fn params(args: &EventsArgs) -> SubscribeParams {
    let channels = if args.channels.is_empty() { vec!["*".to_owned()] } else { args.channels.clone() };
    let servers = (!args.server.is_empty()).then(|| args.server.clone());
    let filter = EventFilter { min_severity: args.min_severity, servers, ..EventFilter::default() };
    let filter = (filter != EventFilter::default()).then_some(filter);
    SubscribeParams { filter, ..SubscribeParams::new(channels) }
}

/// Returns the sentence that names the followed channels.
fn listening(wanted: &[String], channels: &BTreeSet<String>) -> String {
    let until = "until Ctrl-C";
    if channels.is_empty() {
        return format!("no channel is called {} yet; listening, {until}", wanted.join(", "));
    }
    let channels: Vec<_> = channels.iter().map(String::as_str).collect();
    format!("listening to {}, {until}", channels.join(", "))
}

/// Reads the events of a kernel until it has no more, or until the receiver is gone.
async fn read(pid: u32, mut stream: EventStream, sender: mpsc::Sender<(u32, Result<EventItem, CallError>)>) {
    loop {
        let item = stream.next().await;
        let ended = item.is_err();
        if sender.send((pid, item)).await.is_err() || ended {
            return;
        }
    }
}

fn show(options: &Options, pid: u32, event: &EventParams, several: bool) {
    if options.json {
        // The event was read from JSON, so serializing cannot fail.
        return print_json(&serde_json::to_string(&Line { pid, event }).unwrap_or_default());
    }
    let kernel = if several { pid.to_string() } else { String::new() };
    let severity = event.severity.map(|severity| severity.to_string()).unwrap_or_default();
    let data = event.data.as_ref().map(RawJson::as_str).unwrap_or_default();
    let server = event.server_id.as_deref().unwrap_or_default();
    let time = local_time(&event.timestamp);
    let cells = [&kernel, &*time, &event.channel, server, &severity, data];
    let line: Vec<_> = cells.into_iter().filter(|cell| !cell.is_empty()).map(on_one_line).collect();
    print(&line.join("  "));
}
