//! `mgp logs`: shows the logs of gateways and their servers, including past ones.

use crate::{
    command::known::known_name,
    error::CliError,
    exit::Exit,
    logging::{GATEWAY, LogFiles, LogLine},
    options::Options,
    output::{Outcome, local_time, note, print, print_json},
    setup::Setup,
    signals::Signals,
};
use clap::Args;
use serde::Serialize;
use std::time::Duration;

/// Show the log of the gateways, or a server's stderr with the gateways' messages about it
///
/// Every `mgp serve` of this state folder keeps its log there, even if its host shows it to nobody. A log is bounded: the latest one or two
/// megabytes are kept.
#[derive(Debug, Args)]
pub(crate) struct LogsArgs {
    /// The server, by its id or an unambiguous beginning of it; without it, show the log of the gateways
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// Show the latest N lines
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(0..=100_000))]
    last: u32,
    /// Keep printing new lines; with --json, one object per line
    #[arg(short, long)]
    follow: bool,
}

#[derive(Serialize)]
struct Lines {
    lines: Vec<LogLine>,
}

/// The interval between two reads of a log while following it.
const PAUSE: Duration = Duration::from_millis(250);

pub(crate) async fn run(options: &Options, args: LogsArgs) -> Result<Outcome, CliError> {
    let setup = Setup::load_for_state(options).await?;
    let files = LogFiles::of(&setup.state);
    let name = match args.id {
        None => GATEWAY.to_owned(),
        Some(id) => named(&setup, &files, &id).await?,
    };
    let (lines, mut place) = files.last(&name, args.last as usize)?;
    if !args.follow {
        if lines.is_empty() {
            note("nothing is logged: `mgp serve` keeps logs from its start on");
        }
        let text = lines.iter().map(|line| text(&name, line)).collect::<Vec<_>>().join("\n");
        return Outcome::new(text, &Lines { lines });
    }
    let mut signals = Signals::listen()?;
    let mut lines = lines;
    loop {
        lines.iter().for_each(|line| show(options, &name, line));
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            () = signals.next() => return Ok(Outcome::silent()),
        }
        lines = files.after(&name, &mut place)?;
    }
}

/// Returns the log with this server id, or with an unambiguous beginning of it.
async fn named(setup: &Setup, files: &LogFiles, id: &str) -> Result<String, CliError> {
    let mut names = files.names();
    names.extend(setup.servers()?.into_iter().map(|(id, _)| id));
    names.extend(setup.registered().await?);
    known_name("server", id, names.iter().map(String::as_str)).map(str::to_owned).map_err(|error| {
        CliError::new(Exit::NotFound, error)
            .help("see the servers with `mgp servers`; without an id, the log of the gateways")
    })
}

/// Returns a line as text. In a gateways' log the process is shown, because several gateways write to it.
fn text(name: &str, line: &LogLine) -> String {
    let LogLine { time, level, pid, text } = line;
    let time = local_time(time);
    match name {
        GATEWAY => format!("{time}  {level:<5}  {pid}  {text}"),
        _ => format!("{time}  {level:<6}  {text}"),
    }
}

fn show(options: &Options, name: &str, line: &LogLine) {
    if options.json {
        // A line holds only texts and a number, so serializing cannot fail.
        print_json(&serde_json::to_string(line).unwrap_or_default());
    } else {
        print(&text(name, line));
    }
}
