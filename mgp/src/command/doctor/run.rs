//! The arguments and the work of `mgp doctor`.

use super::{
    configuration, confinement,
    context::{Context, masked},
    finding::{Area, Finding, Kind, Remedy, Severity},
    gateway::{self, RunningGateways},
    hosts, machine, notifications, orphans, ports, program, proxy, replicas, runtimes, servers,
    start::{self, CheckedServer, Work},
    state,
};
use crate::{
    error::CliError,
    exit::Exit,
    meant::question,
    options::Options,
    output::{Outcome, on_one_line},
    setup::{Setup, environment},
};
use clap::Args;
use mgp_discovery::mcp_servers::Host;
use mgp_security::confine::{ConfinementRunner, RunnerState};
use serde::Serialize;
use std::{path::PathBuf, sync::Arc, time::Duration};

/// Look for faults of this installation, with the command that mends each
///
/// Checks the program, the running gateways, the configuration, the state folder, the servers, the hosts' files, the
/// confinement and the machine. Each finding is one line with one command or key, and its section in docs/doctor.md.
/// Exits with code 1 if there are errors or warnings.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// A server, a host such as cursor, or a part: program, gateway, configuration, state, servers, hosts, confinement,
    /// machine; by default, everything
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Mend the findings that are safe to mend: modes of the gateway's files, files and processes of ended gateways, and
    /// the program's path in hosts' files, with a backup
    #[arg(long)]
    fix: bool,
}

/// The time limit of a check that only reads files.
const LIMIT: Duration = Duration::from_secs(20);

#[derive(Debug, Serialize)]
struct DoctorReport {
    version: &'static str,
    program: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    configuration: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<PathBuf>,
    /// The variables that the gateway takes from the login shell, besides `PATH`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    environment: Vec<String>,
    /// The running gateways; `None` if they were not looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    gateways: Option<RunningGateways>,
    /// The means by which this machine can confine a server; empty if they were not tried.
    confinement: Vec<RunnerRow>,
    /// The servers that answer.
    servers: Vec<CheckedServer>,
    findings: Vec<Finding>,
}

/// A means by which a server can be confined.
#[derive(Debug, Serialize)]
struct RunnerRow {
    runner: ConfinementRunner,
    /// The part that this machine lacks for it, with the step that makes it available.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<String>,
}

/// A check that only reads files.
type FileCheck = fn(&Context) -> Vec<Finding>;

const FILE_CHECKS: [(Area, FileCheck); 10] = [
    (Area::Program, program::check),
    (Area::Configuration, configuration::check),
    (Area::Configuration, replicas::check),
    (Area::State, state::check),
    (Area::Gateway, gateway::check_places),
    (Area::Gateway, orphans::check),
    (Area::Servers, servers::check),
    (Area::Hosts, hosts::check),
    (Area::Confinement, confinement::check),
    (Area::Machine, machine::check),
];

pub(crate) async fn run(options: &Options, args: DoctorArgs) -> Result<Outcome, CliError> {
    let context = Arc::new(context(options, args.names).await?);
    let files = FILE_CHECKS.map(|(area, check)| limited(area, check, context.clone()));
    let (files, (runtimes, versions), ports, targets, confined, sockets, runners) = tokio::join!(
        futures_util::future::join_all(files),
        runtimes::check(&context),
        ports::check(&context),
        notifications::check(&context),
        Box::pin(confinement::check_trial(&context)),
        gateway::check_sockets(&context),
        runners(&context),
    );
    let mut findings: Vec<_> = files.into_iter().flatten().collect();
    findings.extend(proxy::check(&context.environment));
    let (sockets, pids) = sockets;
    for more in [runtimes, ports, targets, confined, sockets] {
        findings.extend(more);
    }
    if args.fix {
        mend(&context, &mut findings).await;
    }
    // The state is opened last, because that makes its files private.
    let mut work = match starts_servers(&context) {
        true => Some(Box::pin(start::check(&context, &findings, &pids)).await),
        false => None,
    };
    if let Some(work) = &mut work {
        findings.append(&mut work.findings);
        for server in &mut work.servers {
            server.add_program(&context, &versions);
        }
    }
    findings.retain(|finding| is_asked_for(&context, finding));
    let secrets = context.secrets();
    for finding in &mut findings {
        finding.problem = masked(&on_one_line(&finding.problem), &secrets);
        let (Remedy::Command(text) | Remedy::Key(text)) = &mut finding.remedy;
        *text = masked(&on_one_line(text), &secrets);
    }
    findings.sort_by_key(|finding| (finding.fixed, finding.severity, finding.id));
    report(&context, work, runners, findings)
}

/// Tries the means by which a server can be confined. An engine of containers may not answer, and is given up then.
async fn runners(context: &Context) -> Vec<RunnerState> {
    if !context.includes(Area::Confinement.name()) {
        return Vec::new();
    }
    let tried = tokio::task::spawn_blocking(RunnerState::of_machine);
    tokio::time::timeout(LIMIT, tried).await.ok().and_then(Result::ok).unwrap_or_default()
}

/// Gathers the facts that the checks need.
async fn context(options: &Options, names: Vec<String>) -> Result<Context, CliError> {
    let environment = environment(options)?;
    let found = configuration::find(options, &environment);
    let program = std::env::current_exe()?;
    let program = program.canonicalize().unwrap_or(program);
    let servers = found.config.iter().flat_map(|config| &config.servers);
    let mut known: Vec<String> = servers.map(|server| server.id.clone()).collect();
    known.extend(Area::ALL.iter().map(|area| area.name().to_owned()));
    known.extend(Host::all().map(|host| host.id().to_owned()));
    if names.iter().any(|name| !known.contains(name)) {
        // Registered servers are in the state. If it cannot be opened, they are not known.
        if let Ok(setup) = Setup::load_for_state(options).await {
            known.extend(setup.registered().await.unwrap_or_default());
        }
    }
    if let Some(unknown) = names.iter().find(|name| !known.contains(name)) {
        let error = CliError::new(Exit::NotFound, format!("there is no server, host or part {unknown:?}"));
        let question = question(unknown, known.iter().map(String::as_str));
        return Err(error.help(format!("{question}expected one of {}", known.join(", "))));
    }
    let of_shell = found.config.as_ref().map(|config| config.kernel.environment.clone()).unwrap_or_default();
    let shell = tokio::task::spawn_blocking(move || machine::shell(&of_shell)).await.ok().flatten();
    let (shell_path, unset_in_shell) = shell.unzip();
    Ok(Context {
        options: options.clone(),
        state: found.state,
        config: found.config,
        file: found.file,
        environment,
        program,
        names,
        shell_path,
        unset_in_shell: unset_in_shell.unwrap_or_default(),
    })
}

/// Runs a check on its own thread, within the time limit.
async fn limited(area: Area, check: FileCheck, context: Arc<Context>) -> Vec<Finding> {
    let checked = tokio::task::spawn_blocking(move || check(&context));
    match tokio::time::timeout(LIMIT, checked).await {
        Ok(Ok(findings)) => findings,
        Ok(Err(error)) => vec![unfinished(area, &error.to_string())],
        Err(_) => vec![unfinished(
            area,
            &format!("a file system may be stuck: no end within {} s", LIMIT.as_secs()),
        )],
    }
}

fn unfinished(area: Area, reason: &str) -> Finding {
    let name = area.name();
    let problem = format!("the check was not finished: {reason}");
    Finding::new(Kind::CheckUnfinished, problem, Remedy::Command(format!("mgp doctor {name}"))).of(name)
}

/// Returns whether a finding is about a name on the command line.
fn is_asked_for(context: &Context, finding: &Finding) -> bool {
    context.includes(finding.id.area().name()) || context.includes(&finding.subject)
}

/// Returns whether servers or gateways are among the names on the command line.
fn starts_servers(context: &Context) -> bool {
    let is_server =
        |name: &String| Host::with_id(name).is_none() && Area::ALL.iter().all(|area| area.name() != name);
    context.includes("servers") || context.includes("gateway") || context.names.iter().any(is_server)
}

/// Mends the findings that can be mended.
async fn mend(context: &Context, findings: &mut [Finding]) {
    for finding in findings.iter_mut().filter(|finding| is_asked_for(context, finding)) {
        let Some(fix) = finding.fix.take() else { continue };
        match Box::pin(fix.apply(context)).await {
            Ok(more) => {
                finding.fixed = true;
                finding.problem.push_str(&more);
            }
            Err(reason) => finding.problem.push_str(&format!("; --fix failed: {reason}")),
        }
    }
}

fn report(
    context: &Context,
    work: Option<Work>,
    runners: Vec<RunnerState>,
    findings: Vec<Finding>,
) -> Result<Outcome, CliError> {
    let count =
        |severity| findings.iter().filter(|finding| !finding.fixed && finding.severity == severity).count();
    let (gateways, servers) = work.map(|work| (work.gateways, work.servers)).unzip();
    let servers = servers.unwrap_or_default();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let configuration = context.file.as_ref().map(|file| file.path.clone());
    let mut lines = vec![format!("mgp {} at {}", env!("CARGO_PKG_VERSION"), context.program.display())];
    lines.push(match &configuration {
        Some(path) => format!("configuration: {}", path.display()),
        None => "configuration: none".to_owned(),
    });
    if let Some(state) = &context.state {
        lines.push(format!("state: {}", state.display()));
    }
    let environment: Vec<_> =
        context.config.iter().flat_map(|config| &config.kernel.environment).cloned().collect();
    if !environment.is_empty() {
        lines.push(format!("from the login shell: PATH, {}", environment.join(", ")));
    }
    if !runners.is_empty() {
        lines.push(format!("confinement: {}", confinement::runners_in_words(&runners)));
    }
    lines.extend(gateways.iter().flat_map(RunningGateways::lines));
    lines.extend(servers.iter().map(CheckedServer::line));
    lines.extend(findings.iter().map(Finding::line));
    lines.push(match (errors, warnings) {
        (0, 0) => "no errors and no warnings".to_owned(),
        _ => format!("errors: {errors}, warnings: {warnings}"),
    });
    let report = DoctorReport {
        version: env!("CARGO_PKG_VERSION"),
        program: context.program.clone(),
        configuration,
        state: context.state.clone(),
        environment,
        gateways,
        confinement: runners
            .into_iter()
            .map(|state| RunnerRow {
                runner: state.runner,
                missing: state.missing.map(|missing| missing.to_string()),
            })
            .collect(),
        servers,
        findings,
    };
    let exit = if errors + warnings == 0 { Exit::Success } else { Exit::Failed };
    let text = lines.iter().map(|line| on_one_line(line)).collect::<Vec<_>>().join("\n");
    Ok(Outcome::new(text, &report)?.with_exit(exit))
}
