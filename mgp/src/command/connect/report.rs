//! The report on each host.

use crate::{
    error::CliError,
    exit::Exit,
    output::{on_one_line, print, shown},
    terminal::ask_on_stderr,
};
use mgp_discovery::mcp_servers::Host;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The result of `mgp connect`.
#[derive(Debug, Serialize)]
pub(super) struct ConnectReport {
    /// The gateway's file.
    pub(super) file: PathBuf,
    /// The ids of the servers that were added to the gateway's file.
    pub(super) servers: Vec<String>,
    pub(super) hosts: Vec<HostReport>,
    pub(super) remarks: Vec<String>,
}

impl ConnectReport {
    /// Returns the hosts that have a file in one of some states, each once.
    pub(super) fn hosts_of(&self, is_in: impl Fn(HostState) -> bool) -> Vec<Host> {
        let mut hosts = Vec::new();
        for report in self.hosts.iter().filter(|report| is_in(report.state)) {
            hosts.extend(Host::with_id(report.host).filter(|host| !hosts.contains(host)));
        }
        hosts
    }
}

/// The result for one file of a host.
#[derive(Debug, Serialize)]
pub(super) struct HostReport {
    pub(super) host: &'static str,
    pub(super) file: PathBuf,
    pub(super) state: HostState,
    /// The lines that show the difference.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) difference: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) removed: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) backup: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) help: Option<String>,
    #[serde(skip)]
    pub(super) error: Option<CliError>,
}

/// The state of a host's file after the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum HostState {
    Connected,
    AlreadyConnected,
    Disconnected,
    /// Only shown, with `--dry-run`.
    Planned,
    Declined,
    Failed,
}

impl HostReport {
    pub(super) fn new(host: Host, file: &Path, state: HostState) -> Self {
        let file = file.to_owned();
        Self {
            host: host.id(),
            file,
            state,
            difference: Vec::new(),
            removed: Vec::new(),
            backup: None,
            reason: None,
            help: None,
            error: None,
        }
    }

    pub(super) fn failed(host: Host, file: &Path, error: CliError) -> Self {
        let (reason, help) = (Some(error.message().to_owned()), error.advice().map(str::to_owned));
        Self { reason, help, error: Some(error), ..Self::new(host, file, HostState::Failed) }
    }
}

/// Returns the names of the hosts whose files have a state.
pub(super) fn names(hosts: &[HostReport], state: HostState) -> String {
    let of_state = hosts.iter().filter(|report| report.state == state);
    let names: Vec<_> = of_state.filter_map(|report| Some(Host::with_id(report.host)?.name())).collect();
    names.join(", ")
}

/// Returns the exit code of the first file that could not be changed.
pub(super) fn exit(hosts: &[HostReport]) -> Exit {
    hosts.iter().find_map(|report| report.error.as_ref()).map_or(Exit::Success, |error| error.exit)
}

/// The manner in which the command asks before it changes a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::command) enum Consent {
    /// Asks at the terminal.
    Ask,
    Given,
    /// Changes nothing.
    DryRun,
}

impl Consent {
    /// Returns the manner that the command line asks for.
    ///
    /// # Errors
    /// Without a terminal, if the command line does not choose.
    pub(in crate::command) fn of(
        yes: bool,
        dry_run: bool,
        json: bool,
        command: &str,
    ) -> Result<Self, CliError> {
        match (dry_run, yes) {
            (true, _) => Ok(Self::DryRun),
            (_, true) => Ok(Self::Given),
            _ if crate::terminal::is_attached() && !json => Ok(Self::Ask),
            _ => Err(CliError::usage("no terminal is attached to ask before files are changed").help(
                format!("look with `mgp {command} --dry-run`, then change them with `mgp {command} --yes`"),
            )),
        }
    }

    /// Asks whether a file may be changed.
    pub(in crate::command) fn asks(self, question: &str) -> bool {
        match self {
            Self::Given => true,
            Self::DryRun => false,
            Self::Ask => {
                let line = ask_on_stderr(&format!("{question} [y]es, [n]o: ")).unwrap_or_default();
                matches!(line.trim().to_lowercase().as_str(), "y" | "yes")
            }
        }
    }
}

/// Prints the difference of a file to stdout, before the question about it.
pub(super) fn show(json: bool, host: Host, file: &Path, difference: &[String]) {
    if json {
        return;
    }
    let mut text = format!("{}: {}", host.name(), file.display());
    for line in difference {
        text.push_str("\n  ");
        text.push_str(&on_one_line(line));
    }
    print(&shown(&text, false));
}
