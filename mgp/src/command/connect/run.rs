//! The arguments and the work of `mgp connect`.

use super::{
    backup::Backups,
    follow::{Event, WaitArgs, follow, next},
    gateway::GatewayFile,
    plan::{FileState, NAME, Plan, plan},
    report::{ConnectReport, Consent, HostReport, HostState, exit, names, show},
};
use crate::{
    command::{
        init::sources::{Servers, Source, merge, unread, without_credentials, without_forms},
        secrets::{KeyMover, SecretsChoiceArgs},
    },
    error::CliError,
    exit::Exit,
    installation::{self, Installation},
    options::Options,
    output::{Outcome, say},
    setup::{environment, trust_folder},
};
use clap::{Args, builder::PossibleValuesParser};
use mgp_discovery::{
    config::PermissionsConfig,
    locate::{Environment, user_config_file},
    mcp_servers::{Candidate, Host, Obstacle, candidates, obstacle},
    trust::TrustStore,
};
use std::time::Duration;

/// The number of times that a file is read again because it changed in between.
pub(super) const MAX_TRIES: usize = 3;

/// Replace the servers in hosts' own files by the gateway
///
/// Finds the installed hosts, takes their servers over into the gateway's file, and replaces them in each host's file by
/// one entry `mgp`. Shows the difference and asks before it changes a file, and keeps a backup; `mgp disconnect` puts
/// everything back. Comments, order and indentation stay. At a terminal, it then starts the gateway, shows its servers,
/// and waits for the first request of each host; Ctrl-C ends the wait.
#[derive(Debug, Args)]
pub(crate) struct ConnectArgs {
    /// The hosts, such as claude-code or cursor; by default, every installed one
    #[arg(value_name = "HOST", value_parser = host_names())]
    hosts: Vec<String>,
    /// Change the hosts' files of this project, and write ./mgp.toml
    #[arg(long)]
    project: bool,
    /// Change the files without asking
    #[arg(long)]
    yes: bool,
    /// Only show the difference
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// Change also a file whose entry a rule of the organization makes useless
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    secrets: SecretsChoiceArgs,
    #[command(flatten)]
    wait: WaitArgs,
}

pub(crate) async fn run(options: &Options, args: &ConnectArgs) -> Result<Outcome, CliError> {
    let environment = environment(options)?;
    let consent = Consent::of(args.yes, args.dry_run, options.json, "connect")?;
    let found = chosen(&environment, &args.hosts, args.project)?;
    let mut connection = Connection::new(options, environment, consent, args)?;
    let hosts: Vec<_> = found.iter().map(|found| connection.connect(found)).collect();
    let report = connection.finish(options, &found, hosts).await?;
    let hosts = report.hosts_of(|state| match state {
        HostState::Connected => true,
        HostState::AlreadyConnected => args.wait.is_asked(),
        _ => false,
    });
    let mut lines = lines(&report, consent);
    let follows = args.wait.follows(options.json);
    if hosts.is_empty() && follows && options.json {
        Event::Written(&report).show(true, "");
        return Ok(Outcome::silent().with_exit(exit(&report.hosts)));
    }
    if hosts.is_empty() || !follows {
        let connected = report.hosts_of(|state| state == HostState::Connected);
        lines.extend((!connected.is_empty()).then(|| next(&connected)));
        return Ok(Outcome::new(lines.join("\n"), &report)?.with_exit(exit(&report.hosts)));
    }
    Event::Written(&report).show(options.json, &lines.join("\n"));
    let followed = follow(options, &args.wait, &report.file, &hosts).await?;
    // A host's error comes before one of the gateway.
    let exit = Some(exit(&report.hosts)).filter(|exit| *exit != Exit::Success).unwrap_or(followed);
    Ok(Outcome::silent().with_exit(exit))
}

/// Returns the hosts whose files are changed: the named ones, or every installed one.
fn chosen(environment: &Environment, names: &[String], project: bool) -> Result<Vec<Candidate>, CliError> {
    let hosts = named(names);
    let of_scope = candidates(environment).into_iter().filter(|found| found.project == project);
    let mut chosen: Vec<Candidate> = Vec::new();
    for found in of_scope.filter(|found| hosts.is_empty() || hosts.contains(&found.host)) {
        // A project's file is made for a host that is named.
        let is_wanted = found.installed || (project && !hosts.is_empty());
        if is_wanted && chosen.iter().all(|known| known.path != found.path) {
            chosen.push(found);
        }
    }
    let missing = hosts.iter().find(|host| chosen.iter().all(|found| found.host != **host));
    if let Some(host) = missing {
        let of_host =
            candidates(environment).into_iter().find(|found| found.host == *host && found.project == project);
        let place = of_host.map(|found| format!(": expected {}", found.path.display())).unwrap_or_default();
        return Err(CliError::new(Exit::NotFound, format!("{} is not installed here{place}", host.name()))
            .help("start the host once, or make that file"));
    }
    if chosen.is_empty() {
        let names: Vec<_> = Host::all().map(Host::name).collect();
        return Err(CliError::new(Exit::NotFound, "no host was found here")
            .help(format!("known are {}; for any other, `mgp init` prints the entry", names.join(", "))));
    }
    Ok(chosen)
}

/// Refuses a host that has several packages, of which each has its own file.
fn one_package(environment: &Environment, found: &Candidate) -> Result<(), CliError> {
    let of_host = candidates(environment).into_iter().filter(|other| other.host == found.host);
    let files: Vec<_> = of_host.map(|other| other.path.display().to_string()).collect();
    if found.host != Host::ClaudeDesktop || files.len() < 2 {
        return Ok(());
    }
    let reason =
        format!("{} has several packages here, with the files {}", found.host.name(), files.join(" and "));
    Err(CliError::new(Exit::Configuration, reason)
        .help("remove the package that you do not use, and run the command again"))
}

/// Returns a parser of the names of hosts.
pub(super) fn host_names() -> PossibleValuesParser {
    PossibleValuesParser::new(Host::all().map(Host::id))
}

/// Returns the hosts with the given names, which the command line has checked.
pub(super) fn named(names: &[String]) -> Vec<Host> {
    names.iter().filter_map(|name| Host::with_id(name)).collect()
}

/// The files and settings that connect hosts.
struct Connection {
    environment: Environment,
    consent: Consent,
    json: bool,
    project: bool,
    force: bool,
    gateway: GatewayFile,
    backups: Backups,
    program: String,
    keys: KeyMover,
}

impl Connection {
    fn new(
        options: &Options,
        environment: Environment,
        consent: Consent,
        args: &ConnectArgs,
    ) -> Result<Self, CliError> {
        let project = args.project;
        // The variable is the option, too.
        let named = environment.variable("MGP_CONFIG_PATH").map(|path| environment.absolute(path));
        let path = if project { Some(environment.absolute("mgp.toml")) } else { named };
        let path = path.or_else(|| user_config_file(&environment)).ok_or_else(|| {
            CliError::new(Exit::Configuration, "this account has no folder for settings")
                .help("name a file with --config")
        })?;
        let program = installation::lasting_program()?;
        let program =
            program.to_str().ok_or_else(|| CliError::failed("the path of this program is not text"))?;
        let mut gateway = GatewayFile::read(path, options.agent.as_deref().unwrap_or("local"))?;
        gateway.remarks.extend(Installation::of_this_program().and_then(|found| found.cache_remark()));
        Ok(Self {
            keys: KeyMover::new(
                &environment,
                &args.secrets,
                consent == Consent::Ask,
                consent != Consent::DryRun,
            )?,
            gateway,
            backups: Backups::of(&environment)?,
            json: options.json,
            program: program.to_owned(),
            environment,
            consent,
            project,
            force: args.force,
        })
    }

    fn connect(&mut self, found: &Candidate) -> HostReport {
        self.try_connect(found).unwrap_or_else(|error| {
            if !self.json {
                say(&format!("{}: {}", found.host.name(), error.to_text()));
            }
            HostReport::failed(found.host, &found.path, error)
        })
    }

    fn try_connect(&mut self, found: &Candidate) -> Result<HostReport, CliError> {
        let host = found.host;
        one_package(&self.environment, found)?;
        for _ in 0..MAX_TRIES {
            let plan = match self.plan(found)? {
                FileState::Connected { name, beside } => return Ok(self.connected(found, &name, &beside)),
                FileState::Change(plan) => plan,
            };
            let useless = self.obstacle(found, NAME);
            // The user changes a rule in the same file as easily as the entry.
            if let Some(useless) = useless.as_ref().filter(|rule| !self.force && rule.file != found.path) {
                let reason = format!("{} would not use the entry: {useless}", host.name());
                return Err(CliError::new(Exit::Configuration, reason).help(format!(
                    "change `{}` there, or ask the administrator of that file; --force writes the entry all the same",
                    useless.key
                )));
            }
            let (mut difference, removed) = (plan.difference(), plan.removed());
            difference.extend(useless.map(|rule| format!("  the host does not use the entry: {rule}")));
            show(self.json, host, &found.path, &difference);
            let report = |state| HostReport {
                difference: difference.clone(),
                removed: removed.clone(),
                ..HostReport::new(host, &found.path, state)
            };
            if !self.consent.asks(&format!("Connect {}?", host.name())) {
                if self.consent == Consent::DryRun {
                    self.take_over(found, &plan)?;
                    return Ok(report(HostState::Planned));
                }
                return Ok(report(HostState::Declined));
            }
            self.take_over(found, &plan)?;
            self.gateway.write()?;
            let (record, backup) =
                self.backups.keep(host, &plan.file, &plan.edits, &plan.after, self.keys.store())?;
            match plan.file.replace(Some(&plan.after)) {
                Ok(true) => return Ok(HostReport { backup: Some(backup), ..report(HostState::Connected) }),
                Ok(false) => self.backups.remove(&record)?,
                Err(error) => {
                    self.backups.remove(&record)?;
                    return Err(error);
                }
            }
        }
        let reason = format!("{} changes all the time", found.path.display());
        Err(CliError::failed(reason).help(format!("end {}, and try again", host.name())))
    }

    fn plan(&self, found: &Candidate) -> Result<FileState, CliError> {
        plan(found, &self.environment, &self.program, &self.args())
    }

    /// Returns the arguments of the gateway in a host's file.
    fn args(&self) -> [String; 3] {
        ["serve".to_owned(), "--config".to_owned(), self.gateway.path.display().to_string()]
    }

    /// Returns a rule that makes the entry useless.
    fn obstacle(&self, found: &Candidate, name: &str) -> Option<Obstacle> {
        let line: Vec<_> = std::iter::once(self.program.clone()).chain(self.args()).collect();
        obstacle(&self.environment, found, name, &line)
    }

    /// Adds the servers of a host to the gateway's file, which is not written yet.
    fn take_over(&mut self, found: &Candidate, plan: &Plan) -> Result<(), CliError> {
        let mut servers = Servers::default();
        merge(&mut servers, found.host.name(), plan.imported.clone());
        servers.remarks.extend(without_credentials(&servers.servers));
        self.gateway.add(&self.environment, found.host.name(), servers, &mut self.keys)
    }

    fn connected(&self, found: &Candidate, name: &str, beside: &[String]) -> HostReport {
        let id = found.host.id();
        let mut reason = format!("the gateway is there already, as {name:?}");
        if !beside.is_empty() {
            reason.push_str(&format!(
                "; {} stay: to move them too, run `mgp disconnect {id}` and `mgp connect {id}`",
                beside.join(", ")
            ));
        }
        if let Some(useless) = self.obstacle(found, name) {
            reason.push_str(&format!("; the host does not use the entry: {useless}"));
        }
        if !self.json {
            show(false, found.host, &found.path, std::slice::from_ref(&reason));
        }
        HostReport {
            reason: Some(reason),
            ..HostReport::new(found.host, &found.path, HostState::AlreadyConnected)
        }
    }

    /// Records trust in a new file of the project, and collects the report.
    async fn finish(
        self,
        options: &Options,
        found: &[Candidate],
        hosts: Vec<HostReport>,
    ) -> Result<ConnectReport, CliError> {
        let Self { environment, project, consent, mut gateway, keys, .. } = self;
        let mut remarks = std::mem::take(&mut gateway.remarks);
        let is_written = hosts.iter().any(|host| host.state == HostState::Connected);
        if project && is_written && !gateway.added.is_empty() {
            match gateway.new_text() {
                Some((path, text)) => {
                    TrustStore::in_folder(&trust_folder(&environment)?).trust(path, text.as_bytes())?;
                }
                None => remarks.push("mgp.toml has changed: look at it, then run `mgp trust`".to_owned()),
            }
        }
        keys.record(options, &gateway.path).await;
        let changed = found
            .iter()
            .zip(&hosts)
            .filter(|(_, report)| matches!(report.state, HostState::Connected | HostState::Planned));
        let sources: Vec<_> = changed.map(|(found, _)| Source::of(found.clone(), &environment)).collect();
        remarks.extend(without_forms(&sources, Duration::from_millis(PermissionsConfig::default().wait_ms)));
        remarks.extend(unread(&environment, &[], project, "mgp connect --project"));
        let servers = if is_written || consent == Consent::DryRun { gateway.added } else { Vec::new() };
        Ok(ConnectReport { file: gateway.path, servers, hosts, remarks })
    }
}

/// Returns the lines about the written files.
fn lines(report: &ConnectReport, consent: Consent) -> Vec<String> {
    let mut lines = Vec::new();
    let connected = names(&report.hosts, HostState::Connected);
    if !connected.is_empty() {
        lines.push(format!("connected {connected}"));
    }
    if !report.servers.is_empty() {
        let verb = if consent == Consent::DryRun { "would write" } else { "wrote" };
        lines.push(format!("{verb} {}: {}", report.file.display(), report.servers.join(", ")));
    }
    lines.extend(report.remarks.iter().map(|remark| format!("  {remark}")));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_discovery::locate::Platform;

    #[test]
    fn of_several_packages_of_claude_desktop_none_is_chosen() {
        let folder = tempfile::tempdir().unwrap();
        let environment = Environment {
            cwd: folder.path().to_owned(),
            home: Some(folder.path().to_owned()),
            config_dir: None,
            state_dir: None,
            platform: Platform::Windows,
            variables: [("LOCALAPPDATA".to_owned(), folder.path().display().to_string())].into(),
        };
        let check = || one_package(&environment, &candidates(&environment)[0]);
        assert!(check().is_ok());
        for (name, is_ok) in [("Claude_a1", true), ("Claude_b2", false)] {
            std::fs::create_dir_all(folder.path().join("Packages").join(name)).unwrap();
            assert_eq!(check().is_ok(), is_ok, "{name}");
        }
        let error = check().unwrap_err();
        assert!(error.message().contains("Claude_a1") && error.message().contains("Claude_b2"), "{error:?}");
    }
}
