//! `mgp audit export`: prints events for other programs.

use super::{filter::EventFilterArgs, ocsf::api_activity, run::TrailArgs};
use crate::{
    error::CliError,
    options::Options,
    output::{Outcome, print_json},
    setup::Setup,
};
use clap::{Args, ValueEnum};
use mgp_security::audit::{AuditFilter, AuditPosition};

/// Write all events that match to stdout, oldest first, one JSON object per line
#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// The format of each event
    #[arg(long, value_enum, default_value_t = Format::JsonLines)]
    format: Format,
    #[command(flatten)]
    filter: EventFilterArgs,
    #[command(flatten)]
    place: TrailArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// Events as they are stored
    JsonLines,
    /// Events of the class API Activity (6003) of the Open Cybersecurity Schema Framework
    Ocsf,
}

/// The maximum number of events per read.
const PAGE: u32 = 1000;

pub(super) async fn export(options: &Options, setup: &Setup, args: &ExportArgs) -> Result<Outcome, CliError> {
    let trail = setup.audit_reader(args.place.local).await?;
    let filter = AuditFilter { last: PAGE, ..args.filter.filter(options, &*trail).await? };
    let mut position = AuditPosition::default();
    loop {
        let page = trail.after(position, filter.clone()).await?;
        let lines = page.events.iter().map(|event| match args.format {
            Format::JsonLines => serde_json::to_string(event),
            Format::Ocsf => serde_json::to_string(&api_activity(event)),
        });
        print_json(&lines.collect::<Result<Vec<_>, _>>().map_err(CliError::failed)?.join("\n"));
        if !page.has_more {
            return Ok(Outcome::silent());
        }
        position = page.next;
    }
}
