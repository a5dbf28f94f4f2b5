//! The servers at work: in the running gateway, or otherwise started once for this check.

use super::{
    context::Context,
    finding::{Area, Finding, Kind, Remedy, Severity},
    gateway::{RunningGateway, RunningGateways, silent},
    runtimes::Versions,
    servers::{key, program_file},
};
use crate::{
    control::{RunningKernel, running_kernels, statuses},
    error::CliError,
    setup::Setup,
    wait::with_progress,
};
use futures_util::future::join_all;
use mgp_discovery::config::{OAuthGrant, ServerConfig};
use mgp_kernel::{Kernel, Server};
use mgp_store::secrets::SecretStore;
use mgp_types::{
    context::ConfinementMode,
    lifecycle::{KernelStatus, KernelStatusParams, ServerNotice, ServerState},
    negotiation::ExtensionSet,
    permission::WaitingTools,
};
use serde::Serialize;
use std::{
    fs,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

/// The time limit of a server's start.
const START: Duration = Duration::from_secs(30);
/// The time limit of the end of all servers.
const END: Duration = Duration::from_secs(15);

/// The servers and gateways at work, and the findings on them.
#[derive(Debug, Default)]
pub(super) struct Work {
    pub(super) gateways: RunningGateways,
    /// The servers that answer.
    pub(super) servers: Vec<CheckedServer>,
    pub(super) findings: Vec<Finding>,
}

/// A server that answers.
#[derive(Debug, Serialize)]
pub(super) struct CheckedServer {
    id: String,
    /// The file of its program.
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<PathBuf>,
    /// Its runtime, with the version.
    #[serde(skip_serializing_if = "Option::is_none")]
    runtime: Option<String>,
    /// The mode of its confinement; `None` for a server at a URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    confinement: Option<ConfinementMode>,
    /// The time from its start to the list of its tools, in milliseconds, if it was started.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_answer_ms: Option<u128>,
}

impl CheckedServer {
    /// Adds the facts about the program of a configured server.
    pub(super) fn add_program(&mut self, context: &Context, versions: &Versions) {
        let server = context.servers().find(|server| server.id == self.id);
        self.program = server.and_then(|server| program_file(context, server));
        self.runtime = versions.get(&self.id).cloned();
    }

    /// Returns the line for people.
    pub(super) fn line(&self) -> String {
        let program = self.program.as_ref().map(|path| path.display().to_string());
        let confinement = self.confinement.map(|mode| format!("confinement {}", mode.as_str()));
        let answer = self.first_answer_ms.map(|ms| format!("first answer after {ms} ms"));
        let facts = [program, self.runtime.clone(), confinement, answer];
        let facts: Vec<_> = facts.into_iter().flatten().collect();
        format!("server {}: answers; {}", self.id, facts.join(", "))
    }
}

/// Checks the running gateways, which are the processes with these ids, and the servers. `found` are the findings so far: nothing is started
/// while the configuration or the state cannot be used.
pub(super) async fn check(context: &Context, found: &[Finding], pids: &[u32]) -> Work {
    let is_blocking = |finding: &Finding| {
        !finding.fixed
            && finding.severity == Severity::Error
            && matches!(finding.id.area(), Area::State | Area::Configuration)
    };
    let has_servers = context.options.demo || context.servers().next().is_some();
    let has_state = context.state.as_ref().is_some_and(|state| state.is_dir());
    if found.iter().any(is_blocking) || !(has_servers || has_state) {
        return Work::default();
    }
    match Box::pin(check_setup(context, found, pids)).await {
        Ok(checked) => checked,
        Err(error) => {
            let problem = error.message().to_owned();
            let advice = error.advice().map(|advice| format!(" ({advice})")).unwrap_or_default();
            let remedy = Remedy::Key("MGP_STATE_DIR".to_owned());
            let finding = Finding::new(Kind::StateUnusable, problem + &advice, remedy);
            Work { findings: vec![finding], ..Work::default() }
        }
    }
}

async fn check_setup(context: &Context, found: &[Finding], pids: &[u32]) -> Result<Work, CliError> {
    let setup = Setup::load_for_state(&context.options).await?;
    let mut work = Work::default();
    let asked = join_all(pids.iter().map(async |pid| (*pid, status(&setup, *pid).await))).await;
    let mut own = None;
    for (pid, status) in asked {
        match status {
            Ok(status) => {
                let gateway = RunningGateway::of(pid, &status);
                work.findings.extend(gateway.other_program());
                work.findings.extend(gateway.needs_restart());
                work.gateways.0.push(gateway);
                if status.configuration.as_deref() == Some(&*setup.configuration()) {
                    own.get_or_insert(status);
                }
            }
            Err(error) => work.findings.push(silent(pid, error.message())),
        }
    }
    let has_faults =
        |id: &str| found.iter().any(|finding| finding.subject == id && finding.severity == Severity::Error);
    let has_servers = !setup.servers()?.is_empty() || !setup.registered().await?.is_empty();
    match own {
        Some(status) => of_running(context, &status, &mut work),
        None if !has_servers => {}
        None => Box::pin(of_started(context, &setup, has_faults, &mut work)).await?,
    }
    Ok(work)
}

/// Requests the report of a running gateway.
async fn status(setup: &Setup, pid: u32) -> Result<KernelStatus, CliError> {
    let kernels: Vec<RunningKernel> = running_kernels(setup, Some(pid), ExtensionSet::EMPTY).await?;
    let params = KernelStatusParams { tools: true, ..KernelStatusParams::default() };
    let mut statuses = statuses(&kernels, &params).await?;
    statuses.pop().map(|(_, status)| status).ok_or_else(|| CliError::failed("it gave no report"))
}

/// Adds the servers of a running gateway, and the findings on them.
fn of_running(context: &Context, status: &KernelStatus, work: &mut Work) {
    let is_asked = |id: &str| context.includes("servers") || context.includes(id);
    let findings = &mut work.findings;
    for server in status.servers.iter().filter(|server| is_asked(&server.id)) {
        let id = &server.id;
        match server.state {
            _ if server.stopped => {
                let remedy = Remedy::Command(format!("mgp servers start {id}"));
                let problem = "it was stopped by an operator, so hosts do not have its tools";
                findings.push(Finding::new(Kind::ServerStopped, problem, remedy).of(id));
            }
            ServerState::Error | ServerState::Disconnected if !server.on_demand => {
                findings.push(down(id, &server.reason, format!("mgp logs {id}")));
            }
            ServerState::Connected => {
                let confinement = server.confined;
                work.servers.push(CheckedServer {
                    id: id.clone(),
                    program: None,
                    runtime: None,
                    confinement,
                    first_answer_ms: None,
                });
            }
            _ => {}
        }
    }
    findings.extend(of_tools(&status.waiting, &status.notices));
    findings.extend(status.closed.iter().map(|closed| of_closed(&closed.server_id, &closed.reason)));
}

/// Starts the servers side by side, and adds those that answer, and the findings.
async fn of_started(
    context: &Context,
    setup: &Setup,
    has_faults: impl Fn(&str) -> bool,
    work: &mut Work,
) -> Result<(), CliError> {
    let findings = &mut work.findings;
    let configured: Vec<_> = context.servers().collect();
    let logins: Vec<_> = configured.iter().filter(|server| asks_user(server)).collect();
    findings.extend(logins.iter().filter_map(|server| not_logged_in(context, server)));
    let kernel = setup.start_asleep().await?;
    let is_asked = |id: &str| context.includes("servers") || context.includes(id);
    let servers = kernel.servers();
    let started = servers.iter().filter(|server| {
        let id = server.id();
        // A login would open a browser.
        is_asked(id) && !has_faults(id) && logins.iter().all(|login| login.id != id)
    });
    let started: Vec<_> = started.cloned().collect();
    let wait = context.config.as_ref().map_or(0, |config| config.kernel.start_wait_ms);
    let left = || {
        started.iter().filter(|server| server.is_coming_up()).map(|server| server.id().to_owned()).collect()
    };
    let starts = join_all(started.iter().map(|server| start(server, Duration::from_millis(wait))));
    for (server, finding) in with_progress(starts, left).await {
        work.servers.extend(server);
        findings.extend(finding);
    }
    findings.extend(of_kernel(&kernel).await);
    // Servers that do not end in time are killed with this process.
    let _ = tokio::time::timeout(END, kernel.shutdown()).await;
    Ok(())
}

async fn of_kernel(kernel: &Kernel) -> Vec<Finding> {
    let operator = kernel.operator();
    let mut findings = of_tools(&operator.waiting_tools(None).await, &operator.notices());
    let closed = operator.closed_tools(None);
    findings.extend(closed.iter().map(|closed| of_closed(&closed.server_id, &closed.reason)));
    findings
}

/// Starts a server. Returns it if it answers, and the finding if it does not come up, or if that takes longer than hosts wait.
async fn start(server: &Arc<Server>, wait: Duration) -> (Option<CheckedServer>, Option<Finding>) {
    let since = Instant::now();
    let is_up = tokio::time::timeout(START, server.wake()).await.ok();
    let took = since.elapsed();
    let checked = CheckedServer {
        id: server.id().to_owned(),
        program: None,
        runtime: None,
        confinement: server.confinement().map(|profile| profile.mode),
        first_answer_ms: Some(took.as_millis()),
    };
    ((is_up == Some(true)).then_some(checked), of_start(server, is_up, took, wait))
}

/// Returns the finding on the start of a server, which took some time. `is_up` is `None` if it is not up or down within the time limit.
fn of_start(server: &Server, is_up: Option<bool>, took: Duration, wait: Duration) -> Option<Finding> {
    let id = server.id();
    match is_up {
        Some(true) if wait.is_zero() || took <= wait => None,
        Some(true) => {
            let problem = format!(
                "it took {} ms until its first answer, and hosts wait {} ms for it",
                took.as_millis(),
                wait.as_millis()
            );
            Some(
                Finding::new(Kind::ServerSlow, problem, Remedy::Key("kernel.start_wait_ms".to_owned()))
                    .of(id),
            )
        }
        Some(false) => Some(down(id, &server.status().reason, "mgp -v servers --fresh".to_owned())),
        None => {
            let problem = format!("it gave no answer within {} s of its start", START.as_secs());
            let remedy = Remedy::Command("mgp -v servers --fresh".to_owned());
            Some(Finding::new(Kind::ServerDown, problem, remedy).of(id))
        }
    }
}

/// Returns whether a server sends its user to a browser when it requires a token.
fn asks_user(server: &ServerConfig) -> bool {
    let oauth = server.auth.as_ref().and_then(|auth| auth.oauth.as_ref());
    oauth.is_some_and(|oauth| oauth.grant == OAuthGrant::User)
}

/// Returns the finding on a server that has no token of its user.
fn not_logged_in(context: &Context, server: &ServerConfig) -> Option<Finding> {
    let url = server.url.as_ref()?.value();
    let state = context.state.as_ref()?;
    // Earlier versions kept the tokens in a file of their own.
    let plain = || fs::read_to_string(state.join("oauth.json")).unwrap_or_default();
    let is_kept = |server: &str| SecretStore::in_folder(state).get(&format!("oauth:{server}"));
    if is_kept(url).is_ok_and(|kept| kept.is_some()) || plain().contains(&format!("{url:?}")) {
        return None;
    }
    let remedy = Remedy::Command("mgp servers --fresh".to_owned());
    Some(Finding::new(Kind::ServerLogin, "nobody has logged in to it", remedy).of(&server.id))
}

/// Returns the finding on a server that is not up, for a reason. `command` shows more.
fn down(id: &str, reason: &str, command: String) -> Finding {
    let login = ["auth.oauth = {}", "auth.bearer", "auth"]
        .into_iter()
        .find(|way| reason.contains(&format!("`{way}`")));
    match login {
        Some(way) => {
            let remedy = Remedy::Key(key(&ServerConfig::new(id), way));
            Finding::new(Kind::ServerLogin, format!("it wants a login: {reason}"), remedy).of(id)
        }
        None => Finding::new(Kind::ServerDown, reason, Remedy::Command(command)).of(id),
    }
}

/// Returns the findings on tools that wait for a permission, or that hosts get in another form.
fn of_tools(waiting: &[WaitingTools], notices: &[ServerNotice]) -> Vec<Finding> {
    let waiting = waiting.iter().map(|waiting| {
        let remedy = Remedy::Command(format!("mgp approve {}", waiting.server_id));
        Finding::new(Kind::ServerWaiting, waiting.to_string(), remedy).of(&waiting.server_id)
    });
    let notices = notices.iter().map(|notice| {
        let id = &notice.server_id;
        let is_odd = ["break MCP's schema", "no host is shown"].iter().any(|part| notice.text.contains(part));
        let (kind, remedy) = match is_odd {
            true => (Kind::ServerOddTools, Remedy::Key(format!("servers.{id}.mgp.disabled"))),
            false => (Kind::ServerNotice, Remedy::Command(command_in(&notice.text, id))),
        };
        Finding::new(kind, &notice.text, remedy).of(id)
    });
    waiting.chain(notices).collect()
}

fn of_closed(id: &str, reason: &str) -> Finding {
    Finding::new(Kind::ServerClosed, reason, Remedy::Command(command_in(reason, id))).of(id)
}

/// Returns the first command of this program that a text names.
fn command_in(text: &str, id: &str) -> String {
    let named = text.split('`').skip(1).step_by(2).find(|part| part.starts_with("mgp "));
    named.map_or_else(|| format!("mgp servers explain {id}"), str::to_owned)
}
