//! The configuration file: whether it is found, trusted, valid and safe from other accounts.

use super::{
    context::{Context, edit, word},
    finding::{Finding, Kind, Remedy},
};
use crate::{
    options::Options,
    setup::{read_file, state_folder, trust_problem},
};
use mgp_discovery::{
    config::{Config, ConfigError},
    locate::{ConfigFile, Environment, Origin, config_file},
};
use std::{
    io,
    path::{Path, PathBuf},
};

/// The configuration that is found, and the state folder that it leads to.
#[derive(Debug, Default)]
pub(super) struct Configuration {
    pub(super) file: Option<ConfigFile>,
    /// The content, if it can be used.
    pub(super) config: Option<Config>,
    pub(super) state: Option<PathBuf>,
}

/// Finds the configuration, without a report on its faults.
pub(super) fn find(options: &Options, environment: &Environment) -> Configuration {
    let file = if options.demo { None } else { config_file(environment, &|path| path.is_file()) };
    let bytes = file.as_ref().and_then(|file| read_file(&file.path).ok());
    let config = file
        .as_ref()
        .zip(bytes.as_ref())
        .filter(|(file, bytes)| options.trust || trust_problem(environment, file, bytes).is_none());
    let config = config.and_then(|(file, bytes)| parse(environment, &file.path, bytes).ok());
    let state = state_folder(environment, config.as_ref(), options.demo).ok();
    Configuration { file, config, state }
}

fn parse(environment: &Environment, path: &Path, bytes: &[u8]) -> Result<Config, ConfigError> {
    Config::parse(path, bytes, &|name| environment.variables.get(name).cloned())
}

pub(super) fn check(context: &Context) -> Vec<Finding> {
    let Some(file) = &context.file else {
        if context.options.demo {
            return Vec::new();
        }
        let problem = "there is no configuration, so hosts get no tools";
        return vec![Finding::new(Kind::ConfigNone, problem, Remedy::Command("mgp connect".to_owned()))];
    };
    let mut findings = permissions(&file.path);
    match read_file(&file.path) {
        Err(error) => findings.push(unreadable(file, &error)),
        Ok(bytes) => findings.extend(content(context, file, &bytes)),
    }
    findings
}

fn unreadable(file: &ConfigFile, error: &ConfigError) -> Finding {
    let path = &file.path;
    let reason = std::error::Error::source(error).map(|source| format!(": {source}")).unwrap_or_default();
    let problem = format!("{error}{reason}");
    let command = match error {
        ConfigError::TooLarge { .. } | ConfigError::NotText { .. } => edit(path, 1),
        _ if path.exists() && !path.is_file() => format!("mv {0} {0}.old", word(path)),
        _ if path.symlink_metadata().is_ok() => format!("chmod u+r {}", word(path)),
        _ if file.origin == Origin::Named => format!("mgp init --config {}", word(path)),
        _ => "mgp init".to_owned(),
    };
    Finding::new(Kind::ConfigUnreadable, problem, Remedy::Command(command))
}

fn content(context: &Context, file: &ConfigFile, bytes: &[u8]) -> Vec<Finding> {
    let (environment, path) = (&context.environment, &file.path);
    if !context.options.trust
        && let Some(reason) = trust_problem(environment, file, bytes)
    {
        let problem = format!("this project's file may not run commands: {reason}");
        return vec![Finding::new(Kind::ConfigUntrusted, problem, Remedy::Command("mgp trust".to_owned()))];
    }
    match parse(environment, path, bytes) {
        Err(error) if error.problems().is_empty() => vec![unreadable(file, &error)],
        Err(error) => {
            let finding = |problem: &mgp_discovery::config::Problem| {
                let advice = problem.advice().map(|advice| format!(" ({advice})")).unwrap_or_default();
                let (line, column) = (problem.line(), problem.column());
                let text = format!("{}:{line}:{column}: {problem}{advice}", path.display());
                Finding::new(Kind::ConfigInvalid, text, Remedy::Command(edit(path, line)))
            };
            error.problems().iter().map(finding).collect()
        }
        Ok(config) => of_valid(path, &config),
    }
}

/// Returns the findings on a configuration that can be read.
fn of_valid(path: &Path, config: &Config) -> Vec<Finding> {
    let mut findings = Vec::new();
    if config.enabled().next().is_none() {
        let problem = format!("{} has no server that is switched on", path.display());
        findings.push(Finding::new(
            Kind::ConfigNoServers,
            problem,
            Remedy::Command("mgp connect".to_owned()),
        ));
    }
    if let Some(policy) = &config.access.policy_file {
        let policy = path.parent().unwrap_or(path).join(policy.value());
        let opened = policy.metadata().and_then(|found| match found.is_file() {
            true => std::fs::File::open(&policy).map(drop),
            false => Err(io::Error::other("expected a file, found something else")),
        });
        if let Err(error) = opened {
            let problem = format!("access.policy_file: failed to read {}: {error}", policy.display());
            let remedy = Remedy::Key("access.policy_file".to_owned());
            findings.push(Finding::new(Kind::ConfigPolicy, problem, remedy));
        }
    }
    #[cfg(unix)]
    findings.extend(readable_secrets(path, config));
    findings
}

/// Returns a finding if other accounts can read a file that holds secrets.
#[cfg(unix)]
fn readable_secrets(path: &Path, config: &Config) -> Option<Finding> {
    use super::fix::Fix;
    use crate::secrets::find_keys;
    use std::{collections::BTreeMap, os::unix::fs::PermissionsExt};
    let mode = path.metadata().ok()?.permissions().mode();
    if mode & 0o044 == 0 {
        return None;
    }
    let found = find_keys(&config.servers, &BTreeMap::new()).into_iter().next()?;
    let key = format!("{}: {}", config.servers.get(found.server)?.id, found.key);
    let problem = format!("other accounts can read {}, which holds a secret ({key})", path.display());
    let remedy = Remedy::Command(format!("chmod go-rwx {}", word(path)));
    let finding = Finding::new(Kind::ConfigReadable, problem, remedy);
    Some(finding.with_fix(Fix::Modes(vec![(path.to_owned(), mode & 0o700)])))
}

/// Returns the findings on the owner and the mode of the file.
#[cfg(unix)]
fn permissions(path: &Path) -> Vec<Finding> {
    use super::fix::Fix;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let Ok(found) = path.metadata() else { return Vec::new() };
    let (own, owner) = (rustix::process::geteuid().as_raw(), found.uid());
    if owner != own && owner != 0 {
        let problem = format!(
            "{} belongs to the account {owner}, which can make this account run any command",
            path.display()
        );
        let command = format!("sudo chown \"$(id -u)\" {}", word(path));
        return vec![Finding::new(Kind::ConfigOwner, problem, Remedy::Command(command))];
    }
    let mode = found.permissions().mode();
    // On many systems, each account has a group for itself, whose id is that of the account.
    let is_open = mode & 0o002 != 0 || (mode & 0o020 != 0 && found.gid() != owner);
    if !is_open {
        return Vec::new();
    }
    let problem = format!(
        "other accounts can write {} (mode {:03o}), and so make this account run any command",
        path.display(),
        mode & 0o777
    );
    let remedy = Remedy::Command(format!("chmod go-w {}", word(path)));
    let finding = Finding::new(Kind::ConfigWritable, problem, remedy);
    vec![finding.with_fix(Fix::Modes(vec![(path.to_owned(), mode & 0o7755)]))]
}

/// Returns nothing: on this platform, a user's files are private already.
#[cfg(not(unix))]
fn permissions(_: &Path) -> Vec<Finding> {
    Vec::new()
}
