//! The hosts' files: whether the gateway is in each, alone, and with the right path.

use super::{
    context::{Context, edit, word},
    finding::{Finding, Kind, Remedy},
    fix::Fix,
    servers::is_executable,
};
use crate::{
    command::init::sources::{Source, is_this_program},
    installation::lasting_program,
};
use mgp_discovery::{
    config::{ServerConfig, Text},
    locate::Origin,
    mcp_servers::{Candidate, EditError, ImportError, candidates, import, list_at, obstacle},
};
use std::{
    collections::BTreeSet,
    env,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

/// The largest file that is read, in bytes.
const MAX_SIZE: u64 = 32 * 1024 * 1024;

/// The most names in one finding.
const MAX_NAMED: usize = 8;

pub(super) fn check(context: &Context) -> Vec<Finding> {
    let mut seen = BTreeSet::new();
    let found = candidates(&context.environment).into_iter().filter(|found| seen.insert(found.path.clone()));
    let asked = found.filter(|found| context.includes("hosts") || context.includes(found.host.id()));
    asked.filter(|found| found.installed).flat_map(|found| check_host(context, &found)).collect()
}

fn check_host(context: &Context, found: &Candidate) -> Vec<Finding> {
    let (host, path) = (found.host, &found.path);
    let shown = path.display();
    let finding = |kind, problem: String, remedy| Finding::new(kind, problem, remedy).of(host.id());
    let bytes = match read(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            let command = match path.read_link() {
                Ok(target) if error.kind() == io::ErrorKind::NotFound => {
                    let target = path.parent().map_or_else(|| target.clone(), |folder| folder.join(&target));
                    let folder = target.parent().unwrap_or(&target);
                    format!("mkdir -p {} && touch {}", word(folder), word(&target))
                }
                _ if path.exists() && !path.is_file() => format!("mv {0} {0}.old", word(path)),
                _ => format!("chmod u+r {}", word(path)),
            };
            let problem = format!("{shown} cannot be read: {error}");
            return vec![finding(Kind::HostFileUnusable, problem, Remedy::Command(command))];
        }
    };
    let list = match list_at(host.format(), &bytes, &[host.list().to_owned()]) {
        Ok(list) => list,
        Err(error) => {
            let line = if let EditError::Syntax { line, .. } = &error { *line } else { 1 };
            let remedy = Remedy::Command(edit(path, line));
            return vec![finding(Kind::HostFileBroken, format!("{shown}: {error}"), remedy)];
        }
    };
    let imported = match import(&bytes, &Source::of(found.clone(), &context.environment).context) {
        Ok(imported) => imported,
        Err(ImportError::NoServers) => Default::default(),
        Err(error) => {
            let remedy = Remedy::Command(edit(path, 1));
            return vec![finding(Kind::HostFileBroken, format!("{shown}: {error}"), remedy)];
        }
    };
    let named = imported.servers.iter().zip(&imported.names);
    let in_list = |name: &str| list.iter().any(|(known, _)| known == name);
    let (own, others): (Vec<_>, Vec<_>) = named
        .filter(|(_, named)| named.of_project || in_list(&named.name))
        .partition(|(server, _)| is_this_program(server));
    let mut others: Vec<&str> =
        others.into_iter().filter(|(server, _)| !server.disabled).map(|(_, named)| &*named.name).collect();
    others.dedup();
    let count = others.len();
    others.truncate(MAX_NAMED);
    let named = format!("{}{}", others.join(", "), if count > MAX_NAMED { ", ..." } else { "" });
    let option = if found.project { " --project" } else { "" };
    let id = host.id();
    // Without an entry, the rule that `mgp connect` would meet.
    let line =
        own.first().map_or_else(|| vec![context.program.display().to_string()], |(server, _)| line(server));
    let name = own.first().map_or("mgp", |(_, named)| &*named.name);
    let managed = obstacle(&context.environment, found, name, &line).map(|useless| {
        let problem = format!("{shown}: the host does not use an entry of the gateway: {useless}");
        let remedy = Remedy::Key(format!("{} in {}", useless.key, useless.file.display()));
        finding(Kind::HostManaged, problem, remedy)
    });
    if let Some(managed) = managed {
        return vec![managed];
    }
    if own.is_empty() {
        let remedy = Remedy::Command(format!("mgp connect{option} {id}"));
        return match count {
            0 if found.project => Vec::new(),
            0 => vec![finding(
                Kind::HostWithoutGateway,
                format!("{shown} has no server, and not the gateway"),
                remedy,
            )],
            _ => vec![finding(
                Kind::HostNotConnected,
                format!("{shown} does not have the gateway: its servers are used without it: {named}"),
                remedy,
            )],
        };
    }
    let mut findings: Vec<_> =
        own.iter().flat_map(|(server, named)| check_entry(context, found, &named.name, server)).collect();
    let again = || Remedy::Command(format!("mgp disconnect {id} && mgp connect{option} {id}"));
    if let [_, (_, second), ..] = own[..] {
        let problem = format!("{shown} has the gateway twice, so its tools too: remove {:?}", second.name);
        findings.push(finding(Kind::HostEntryTwice, problem, Remedy::Command(edit(path, 1))));
    }
    if count > 0 {
        let problem = format!("{shown} has servers that are used without the gateway: {named}");
        findings.push(finding(Kind::HostGoesRound, problem, again()));
    }
    findings
}

/// Returns the program of a server, with its arguments.
fn line(server: &ServerConfig) -> Vec<String> {
    server.command.iter().chain(&server.args).map(|text| text.value().to_owned()).collect()
}

/// Reads a host's file. A file that is missing is empty.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match path.metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound && path.symlink_metadata().is_err() => {}
        // A pipe could block for ever.
        Ok(found) if !found.is_file() => {
            return Err(io::Error::other("expected a file, found something else"));
        }
        _ => drop(File::open(path)?.take(MAX_SIZE + 1).read_to_end(&mut bytes)?),
    }
    Ok(bytes)
}

/// Checks the gateway's entry in a host's file.
fn check_entry(context: &Context, found: &Candidate, name: &str, server: &ServerConfig) -> Vec<Finding> {
    let (id, shown) = (found.host.id(), found.path.display());
    let mut findings = Vec::new();
    let command = server.command.as_ref().map(Text::value).unwrap_or_default();
    let fault = match program(context, command) {
        EntryProgram::This => None,
        EntryProgram::Missing => {
            Some((Kind::HostProgramMissing, format!("{shown} starts {command}, which does not exist")))
        }
        EntryProgram::Other => Some((
            Kind::HostProgramOther,
            format!("{shown} starts {command}, which is another program than {}", context.program.display()),
        )),
        EntryProgram::Relative => Some((
            Kind::HostProgramRelative,
            format!(
                "{shown} starts {command} without its whole path, which a host with a window may not find"
            ),
        )),
    };
    let fixed = |kind, problem: String, old: &str, new: &Path| {
        let remedy = Remedy::Command(format!("mgp doctor --fix {id}"));
        let (old, new) = (old.to_owned(), new.display().to_string());
        let fix = Fix::Entry { found: Box::new(found.clone()), name: name.to_owned(), old, new };
        Finding::new(kind, problem, remedy).of(id).with_fix(fix)
    };
    // The path that an update of the package keeps.
    let program = lasting_program().unwrap_or_else(|_| context.program.clone());
    findings.extend(fault.map(|(kind, problem)| fixed(kind, problem, command, &program)));
    let args: Vec<_> = server.args.iter().map(Text::value).collect();
    let config = args.iter().enumerate().find_map(|(at, arg)| {
        arg.strip_prefix("--config=").or_else(|| (*arg == "--config").then(|| args.get(at + 1).copied())?)
    });
    if let Some(config) =
        config.filter(|config| Path::new(config).is_absolute() && !Path::new(config).exists())
    {
        let problem = format!("{shown} starts the gateway with {config}, which does not exist");
        let own = context.file.as_ref().filter(|file| file.origin != Origin::Project && file.path.is_file());
        findings.push(match own {
            Some(own) => fixed(Kind::HostConfigMissing, problem, config, &own.path),
            None => {
                let remedy = Remedy::Command(format!("mgp init --config {}", word(Path::new(config))));
                Finding::new(Kind::HostConfigMissing, problem, remedy).of(id)
            }
        });
    }
    if server.disabled {
        let problem = format!("the gateway is switched off in {shown}");
        let remedy = Remedy::Key(format!("{}.{name}.disabled", found.host.list()));
        findings.push(Finding::new(Kind::HostSwitchedOff, problem, remedy).of(id));
    }
    findings
}

/// The program that an entry starts.
enum EntryProgram {
    This,
    Missing,
    Other,
    /// A program without its whole path.
    Relative,
}

fn program(context: &Context, command: &str) -> EntryProgram {
    let path = PathBuf::from(command);
    if path.is_absolute() {
        return match path.canonicalize() {
            Ok(real) if real == context.program => EntryProgram::This,
            Ok(_) if is_executable(&path) => EntryProgram::Other,
            _ => EntryProgram::Missing,
        };
    }
    let search_path = context.search_path();
    let found = env::split_paths(&search_path).any(|folder| is_executable(&folder.join(&path)));
    if found { EntryProgram::Relative } else { EntryProgram::Missing }
}
