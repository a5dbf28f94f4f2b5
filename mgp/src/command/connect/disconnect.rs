//! The arguments and the work of `mgp disconnect`.

use super::{
    backup::{Backups, Record, sum},
    file::{HostFile, refused},
    plan::{FileState, plan},
    report::{Consent, HostReport, HostState, exit, names, show},
    run::{host_names, named},
};
use crate::{
    error::CliError,
    exit::Exit,
    options::Options,
    output::{Outcome, say},
    setup::environment,
};
use clap::Args;
use mgp_discovery::mcp_servers::{Host, ListEdit, candidates, disconnect};
use serde::Serialize;

/// Take the gateway out of hosts' files, and put their servers back
///
/// A file that has not changed since `mgp connect` gets its old content, byte for byte. In any other, only the entry of
/// the gateway is replaced by the servers that stood there. The gateway's own file stays.
#[derive(Debug, Args)]
pub(crate) struct DisconnectArgs {
    /// The hosts, such as claude-code or cursor; by default, every connected one
    #[arg(value_name = "HOST", value_parser = host_names())]
    hosts: Vec<String>,
    /// Change the files without asking
    #[arg(long)]
    yes: bool,
    /// Only show the difference
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
}

/// The number of times that a file is read again because it changed in between.
const MAX_TRIES: usize = 3;

#[derive(Debug, Serialize)]
struct DisconnectReport {
    hosts: Vec<HostReport>,
}

/// The new content of a file, and the lines that show the difference.
struct Restoration {
    /// `None` removes the file.
    content: Option<Vec<u8>>,
    difference: Vec<String>,
}

pub(crate) fn run(options: &Options, args: &DisconnectArgs) -> Result<Outcome, CliError> {
    let environment = environment(options)?;
    let consent = Consent::of(args.yes, args.dry_run, options.json, "disconnect")?;
    let hosts = named(&args.hosts);
    let backups = Backups::of(&environment)?;
    let mut work: Vec<(Host, Record, bool)> = Vec::new();
    for record in backups.records()? {
        let Some(host) = Host::with_id(&record.host) else { continue };
        work.push((host, record, true));
    }
    // An entry that somebody else wrote, or whose backup is gone, is only taken out.
    for found in candidates(&environment).into_iter().filter(|found| found.path.is_file()) {
        let Ok(FileState::Connected { name, .. }) = plan(&found, &environment, "", &[]) else { continue };
        if !work.iter().any(|(_, record, _)| record.file == found.path) {
            let path = vec![found.host.list().to_owned()];
            let edits = vec![ListEdit { path, removed: Vec::new(), added: Some(name) }];
            let host = found.host.id().to_owned();
            let record = Record { host, file: found.path, edits, existed: true, changed: String::new() };
            work.push((found.host, record, false));
        }
    }
    work.retain(|(host, ..)| hosts.is_empty() || hosts.contains(host));
    if let Some(host) = hosts.iter().find(|host| work.iter().all(|(known, ..)| known != *host)) {
        return Err(CliError::new(Exit::NotFound, format!("{} is not connected", host.name())));
    }
    let reports = work.iter().map(|(host, record, has_backup)| {
        let backups = Some(&backups).filter(|_| *has_backup);
        restore(*host, record, backups, consent, options.json).unwrap_or_else(|error| {
            if !options.json {
                say(&format!("{}: {}", host.name(), error.to_text()));
            }
            HostReport::failed(*host, &record.file, error)
        })
    });
    outcome(&DisconnectReport { hosts: reports.collect() })
}

fn restore(
    host: Host,
    record: &Record,
    backups: Option<&Backups>,
    consent: Consent,
    json: bool,
) -> Result<HostReport, CliError> {
    let original = backups.map_or(Ok(Vec::new()), |backups| backups.read(record))?;
    for _ in 0..MAX_TRIES {
        let file = HostFile::read(&record.file)?;
        let Restoration { content, difference } =
            restoration(host, record, &original, &file).map_err(|error| {
                let place =
                    backups.map(|backups| format!("; its backup is {}", backups.original(record).display()));
                let place = place.unwrap_or_default();
                error.help(format!(
                    "nothing was changed: mend the file, and run `mgp disconnect {}` again{place}",
                    host.id()
                ))
            })?;
        show(json, host, &record.file, &difference);
        let report = |state| HostReport {
            difference: difference.clone(),
            ..HostReport::new(host, &record.file, state)
        };
        if !consent.asks(&format!("Disconnect {}?", host.name())) {
            let state = if consent == Consent::DryRun { HostState::Planned } else { HostState::Declined };
            return Ok(report(state));
        }
        if content == file.content || file.replace(content.as_deref())? {
            if let Some(backups) = backups {
                backups.remove(record)?;
            }
            return Ok(report(HostState::Disconnected));
        }
    }
    let reason = format!("{} changes all the time", record.file.display());
    Err(CliError::failed(reason).help(format!("end {}, and try again", host.name())))
}

/// Returns the content that a file had, or that it has without the gateway if it changed since.
fn restoration(
    host: Host,
    record: &Record,
    original: &[u8],
    file: &HostFile,
) -> Result<Restoration, CliError> {
    let back = record.existed.then(|| original.to_vec());
    let whole =
        |difference: &str| Restoration { content: back.clone(), difference: vec![difference.to_owned()] };
    let Some(current) = &file.content else {
        return Ok(match record.existed {
            true => whole("the file is gone: it is written again"),
            false => whole("the file is gone already"),
        });
    };
    if record.existed && current == original {
        return Ok(whole("the file has its old content already"));
    }
    if sum(current) == record.changed {
        return Ok(match record.existed {
            true => whole("the file gets its old content"),
            false => whole("the file is removed: `mgp connect` made it"),
        });
    }
    let edited = disconnect(host.format(), original, current, &record.edits);
    let edited = edited.map_err(|error| refused(&file.path, &error.to_string()))?;
    let mut difference = vec!["the file has changed since: everything else in it stays".to_owned()];
    for edit in &record.edits {
        let path = edit.path.join(".");
        difference.extend(edit.added.iter().map(|name| format!("- {path}.{name}")));
        difference.extend(edit.removed.iter().map(|name| format!("+ {path}.{name}")));
    }
    Ok(Restoration { content: Some(edited), difference })
}

fn outcome(report: &DisconnectReport) -> Result<Outcome, CliError> {
    let done = names(&report.hosts, HostState::Disconnected);
    let text = if report.hosts.is_empty() {
        "no host is connected".to_owned()
    } else if done.is_empty() {
        String::new()
    } else {
        format!("disconnected {done}: restart them. The gateway's own file stays as it is.")
    };
    Ok(Outcome::new(text, report)?.with_exit(exit(&report.hosts)))
}
