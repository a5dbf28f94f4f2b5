//! `mgp audit`: what happened.

use crate::cli::{
    args::Options,
    error::CliError,
    output::{Outcome, note, print, printable, shortened, table},
    setup::Setup,
    signals::Signals,
};
use clap::Args;
use mgp_security::audit::{AuditFilter, AuditLog};
use mgp_types::{
    audit::{AuditEvent, AuditEventType, AuditReplayParams},
    context::TraceId,
    json::RawObject,
};
use serde::Serialize;
use std::time::Duration;

/// Show what happened: calls, refusals, grants, decisions, servers that came and went
///
/// --agent shows what one actor did.
#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// How many events, the latest ones
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(0..=100_000))]
    last: u32,
    /// To this server
    #[arg(long, value_name = "ID")]
    server: Option<String>,
    /// Of this type, such as TOOL_BLOCKED
    #[arg(long = "type", value_name = "TYPE")]
    event_type: Option<String>,
    /// Of this trace
    #[arg(long, value_name = "ID")]
    trace: Option<String>,
    /// Go on with what happens from now; with --json, one event a line
    #[arg(short, long)]
    follow: bool,
}

#[derive(Serialize)]
struct Events {
    events: Vec<AuditEvent>,
}

/// How often the trail is looked at while it is followed.
const PAUSE: Duration = Duration::from_millis(250);
/// How many events are read at once while it is followed.
const PAGE: u32 = 1000;

pub(crate) async fn run(options: &Options, args: AuditArgs) -> Result<Outcome, CliError> {
    let setup = Setup::load_for_state(options)?;
    let log = setup.audit()?;
    let filter = filter(options, &args)?;
    let events = log.latest(filter.clone()).await?;
    if args.follow {
        follow(options, &log, filter, events).await?;
        return Ok(Outcome::silent());
    }
    if events.is_empty() {
        note("no event fits");
        return Outcome::new("", &Events { events });
    }
    let header = ["time", "event", "result", "by", "server", "tool", "trace", "details"];
    let text = table(header, events.iter().map(row));
    Outcome::new(text, &Events { events })
}

fn filter(options: &Options, args: &AuditArgs) -> Result<AuditFilter, CliError> {
    let event_type =
        args.event_type.as_deref().map(|name| AuditEventType::from(name.to_uppercase().as_str()));
    if let Some(AuditEventType::Custom(name)) = &event_type
        && !name.contains('.')
    {
        let known: Vec<_> = AuditEventType::STANDARD.iter().map(AuditEventType::as_str).collect();
        return Err(CliError::usage(format!("{name:?} is no type of event"))
            .help(format!("use one of {}", known.join(", "))));
    }
    let trace = args
        .trace
        .as_deref()
        .map(|id| TraceId::new(id).ok_or_else(|| CliError::usage(format!("{id:?} is no id of a trace"))));
    Ok(AuditFilter {
        actor_id: options.agent.clone(),
        server_id: args.server.clone(),
        event_type,
        trace: trace.transpose()?,
        last: args.last,
    })
}

/// Prints events as they come, until the reader goes away or a signal comes.
async fn follow(
    options: &Options,
    log: &AuditLog,
    filter: AuditFilter,
    events: Vec<AuditEvent>,
) -> Result<(), CliError> {
    let mut signals = Signals::listen()?;
    // The last event of all, whatever the filter: what comes after it is new.
    let newest = log.latest(AuditFilter { last: 1, ..AuditFilter::default() }).await?;
    let shown = events.last().and_then(AuditEvent::seq);
    let mut seq = shown.max(newest.last().and_then(AuditEvent::seq)).unwrap_or_default();
    for event in &events {
        show(options, event);
    }
    loop {
        let params =
            AuditReplayParams { since_seq: Some(seq), limit: Some(PAGE), ..AuditReplayParams::default() };
        let page = log.replay(params).await?;
        for event in page.events.iter().filter(|event| fits(&filter, event)) {
            show(options, event);
        }
        seq = page.next_seq;
        if page.has_more {
            continue;
        }
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            () = signals.next() => return Ok(()),
        }
    }
}

fn fits(filter: &AuditFilter, event: &AuditEvent) -> bool {
    let server = event.target.get().and_then(|target| target.server_id.get());
    filter.actor_id.as_ref().is_none_or(|id| *id == event.actor.id)
        && filter.server_id.as_ref().is_none_or(|id| server == Some(id))
        && filter.event_type.as_ref().is_none_or(|kind| *kind == event.event_type)
        && filter
            .trace
            .as_ref()
            .is_none_or(|trace| event.trace_id.get().is_some_and(|id| id == trace.as_str()))
}

fn show(options: &Options, event: &AuditEvent) {
    if options.json {
        // An event that came out of JSON goes back into it.
        print(&serde_json::to_string(event).unwrap_or_default());
    } else {
        let cells = row(event);
        print(&printable(
            &cells.iter().filter(|cell| !cell.is_empty()).map(String::as_str).collect::<Vec<_>>().join("  "),
        ));
    }
}

fn row(event: &AuditEvent) -> [String; 8] {
    let target = event.target.get();
    let server = target.and_then(|target| target.server_id.get()).cloned();
    let tool = target.and_then(|target| target.tool_name.get()).cloned();
    [
        event.timestamp.clone(),
        event.event_type.to_string(),
        event.result.to_string(),
        event.actor.id.clone(),
        server.unwrap_or_default(),
        tool.unwrap_or_default(),
        event.trace_id.get().map(|trace| shortened(trace, 36)).unwrap_or_default(),
        event.details.as_ref().map(details).unwrap_or_default(),
    ]
}

fn details(details: &RawObject) -> String {
    let plain = |(key, value): (&str, &mgp_types::json::RawJson)| {
        format!("{key}={}", value.to_text().unwrap_or_else(|| value.to_string()))
    };
    shortened(&details.iter().map(plain).collect::<Vec<_>>().join(" "), 160)
}
