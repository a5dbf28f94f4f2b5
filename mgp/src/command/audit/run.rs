//! `mgp audit`: shows recorded events.

use super::{
    count::{CountArgs, count},
    export::{ExportArgs, export},
    filter::{EventFilterArgs, NAMESPACE},
    verify::{VerifyArgs, verify},
};
use crate::{
    command::known::id_in_table,
    error::CliError,
    options::Options,
    output::{Outcome, cut_table, local_time, note, on_one_line, print, print_json, shortened, table},
    setup::Setup,
    signals::Signals,
};
use clap::{Args, Subcommand};
use mgp_security::audit::{AuditFilter, AuditPage, AuditReader};
use mgp_types::{audit::AuditEvent, json::RawObject};
use serde::Serialize;
use std::{
    io::{self, IsTerminal},
    time::Duration,
};

/// Show recorded events: calls, refusals, grants, decisions, and the starts and stops of servers
///
/// At a terminal, each event is one line; -v shows all of it. With --agent, shows only the events of that agent.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct AuditArgs {
    #[command(subcommand)]
    command: Option<AuditCommand>,
    /// Show the latest N events
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(0..=100_000))]
    last: u32,
    #[command(flatten)]
    filter: EventFilterArgs,
    /// Keep printing new events; with --json, one event per line
    #[arg(short, long, conflicts_with = "before")]
    follow: bool,
    #[command(flatten)]
    place: TrailArgs,
}

/// The trail that is read.
#[derive(Debug, Args)]
pub(super) struct TrailArgs {
    /// Read the trail in the state folder, not those of all machines in the database
    #[arg(long)]
    pub(super) local: bool,
}

#[derive(Debug, Subcommand)]
enum AuditCommand {
    Verify(VerifyArgs),
    Export(ExportArgs),
    Count(CountArgs),
}

#[derive(Serialize)]
struct Events {
    events: Vec<AuditEvent>,
}

/// The interval between two reads of the trail while following it.
const PAUSE: Duration = Duration::from_millis(250);
/// The maximum number of events per read while following the trail.
const PAGE: u32 = 1000;

pub(crate) async fn run(options: &Options, args: AuditArgs) -> Result<Outcome, CliError> {
    let setup = Setup::load_for_state(options).await?;
    match args.command {
        Some(AuditCommand::Verify(args)) => return verify(&setup, args).await,
        Some(AuditCommand::Export(args)) => return export(options, &setup, &args).await,
        Some(AuditCommand::Count(args)) => return count(options, &setup, &args).await,
        None => {}
    }
    let trail = setup.audit_reader(args.place.local).await?;
    let filter = AuditFilter { last: args.last, ..args.filter.filter(options, &*trail).await? };
    let page = trail.latest_page(filter.clone()).await?;
    if args.follow {
        follow(options, &*trail, filter, page).await?;
        return Ok(Outcome::silent());
    }
    let events = page.events;
    if events.is_empty() {
        note("no event matches");
        return Outcome::new("", &Events { events });
    }
    let text = if is_brief(options) {
        cut_table(["time", "event", "by", "target", "result", "reason"], events.iter().map(brief))
    } else if io::stdout().is_terminal() {
        // Whole details in the cells of a table that fits a terminal would take many lines.
        events.iter().map(|event| line(&row(event))).collect::<Vec<_>>().join("\n")
    } else {
        table(["time", "event", "result", "by", "server", "tool", "trace", "details"], events.iter().map(row))
    };
    Outcome::new(text, &Events { events })
}

/// Prints events as they are recorded, until stdout is closed or a signal arrives.
async fn follow(
    options: &Options,
    log: &dyn AuditReader,
    filter: AuditFilter,
    mut page: AuditPage,
) -> Result<(), CliError> {
    let mut signals = Signals::listen()?;
    let filter = AuditFilter { last: PAGE, ..filter };
    loop {
        for event in &page.events {
            show(options, event);
        }
        if !page.has_more {
            tokio::select! {
                () = tokio::time::sleep(PAUSE) => {}
                () = signals.next() => return Ok(()),
            }
        }
        page = log.after(page.next, filter.clone()).await?;
    }
}

fn show(options: &Options, event: &AuditEvent) {
    if options.json {
        // The event was read from JSON, so serializing cannot fail.
        print_json(&serde_json::to_string(event).unwrap_or_default());
    } else if is_brief(options) {
        print(&line(&brief(event)));
    } else {
        print(&line(&row(event)));
    }
}

/// Returns an event as one line.
fn line(cells: &[String]) -> String {
    let cells = cells.iter().filter(|cell| !cell.is_empty()).map(|cell| on_one_line(cell));
    cells.collect::<Vec<_>>().join("  ")
}

/// Returns whether events are shown in their brief form: at a terminal, without `-v`.
fn is_brief(options: &Options) -> bool {
    options.verbose == 0 && io::stdout().is_terminal()
}

/// The number of shown characters of a trail's id.
const SHOWN_OF_TRAIL: usize = 8;
/// The maximum length of the names in the brief form of an event, in characters.
const MAX_NAME: usize = 28;
/// The details that the brief form of an event leaves out.
const DETAIL: [&str; 4] = ["attempts", "change_id", "duration_ms", "result_bytes"];
/// The length of the year before a time, in characters.
const YEAR: usize = "2026-".len();

/// Returns the brief form of an event: its time, type, actor, target, result and reason.
fn brief(event: &AuditEvent) -> [String; 6] {
    let [time, event_type, result, by, server, tool, ..] = row(event);
    let target = match (&*server, &*tool) {
        ("", tool) => tool.to_owned(),
        (server, "") => server.to_owned(),
        (server, tool) => format!("{server}__{tool}"),
    };
    let reason = event.details.as_ref().and_then(|found| found.text("reason"));
    let more = event.details.clone().map(|mut found| {
        DETAIL.iter().for_each(|key| drop(found.remove(key)));
        details(&found)
    });
    [
        time.get(YEAR..).unwrap_or(&time).to_owned(),
        event_type.strip_prefix(NAMESPACE).unwrap_or(&event_type).to_owned(),
        shortened(&by, MAX_NAME),
        shortened(&target, MAX_NAME),
        result,
        reason.map(|reason| on_one_line(&reason)).or(more).unwrap_or_default(),
    ]
}

fn row(event: &AuditEvent) -> [String; 8] {
    let target = event.target.get();
    let server = target.and_then(|target| target.server_id.get()).cloned();
    let tool = target.and_then(|target| target.tool_name.get()).cloned();
    [
        local_time(&event.timestamp).into_owned(),
        event.event_type.to_string(),
        event.result.to_string(),
        event.actor.id.clone(),
        server.unwrap_or_default(),
        tool.unwrap_or_default(),
        event.trace_id.get().map(|trace| id_in_table(&shortened(trace, 36)).to_owned()).unwrap_or_default(),
        trail(event).into_iter().chain(event.details.as_ref().map(details)).collect::<Vec<_>>().join(" "),
    ]
}

/// Returns the beginning of the id of the event's trail, if that is one of several.
fn trail(event: &AuditEvent) -> Option<String> {
    let trail = event.mgp.as_ref()?.text("trail")?;
    Some(format!("trail={}", trail.chars().take(SHOWN_OF_TRAIL).collect::<String>()))
}

fn details(details: &RawObject) -> String {
    let plain = |(key, value): (&str, &mgp_types::json::RawJson)| {
        format!("{key}={}", value.to_text().unwrap_or_else(|| value.to_string()))
    };
    // The details are the last cell of the row. For a refused call, the command that decides is near their end.
    on_one_line(&details.iter().map(plain).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brief_event_has_its_target_and_its_reason() {
        let event = r#"{"timestamp": "2026-11-20T10:04:22.362Z", "event_type": "dev.cloto.mgp.CALL_DENIED",
            "actor": {"type": "agent", "id": "local"}, "result": "BLOCKED",
            "target": {"server_id": "notes", "tool_name": "add_note"}, "trace_id": "t",
            "details": {"risk_level": "moderate", "duration_ms": 0, "reason": "it needs\nmemory.write"}}"#;
        let event: AuditEvent = serde_json::from_str(event).unwrap();
        let expected = [
            "11-20T10:04:22.362Z",
            "CALL_DENIED",
            "local",
            "notes__add_note",
            "BLOCKED",
            "it needs memory.write",
        ];
        assert_eq!(brief(&event), expected);
    }

    #[test]
    fn the_details_of_an_event_are_one_line() {
        let found = RawObject::parse(r#"{"name": "s\nnote: forged", "mgp": true}"#).unwrap();
        assert_eq!(details(&found), "name=s note: forged mgp=true");
    }
}
