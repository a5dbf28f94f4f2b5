//! The tools that a command works on: listed by the servers of running kernels, or by servers that the command starts.

use crate::{
    control::{asked, reports},
    error::CliError,
    output::{Outcome, note},
    own_kernel::own_kernel,
    setup::Setup,
    signals::Signals,
    wait,
};
use mgp_kernel::{Kernel, Server};
use mgp_types::{
    context::Principal,
    lifecycle::{KernelStatus, ServerReport, ServerState},
};
use std::{sync::Arc, time::Duration};

/// The time limit for servers to come up, in seconds.
const TIMEOUT_SECS: u64 = 120;

/// The tools that a command needs.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NeededTools<'a> {
    /// All tools, however long the servers take to start.
    All,
    /// The tools of the servers that come up [soon](wait::SOON).
    Some,
    /// The tool with this name.
    One(&'a str),
}

/// A kernel for one command, with the tools that the command needs.
#[derive(Debug)]
pub(crate) struct Catalogue {
    /// The command's own kernel, which starts only the servers that the command needs; for a command of the console, that of the gateway.
    pub(crate) kernel: Kernel,
    /// The reports of the kernels that run with this configuration, with their process ids.
    running: Vec<(u32, KernelStatus)>,
}

impl Catalogue {
    /// Runs a command's work on the tools that it needs. If kernels run with this configuration, their servers' tool lists are read from
    /// the state folder, and no server is started a second time. With `fresh`, or without such kernels, the servers that the command needs
    /// are started. Long waits are reported on stderr, and a signal ends them. A command of the console works on the gateway's kernel.
    pub(crate) async fn with(
        setup: &Setup,
        needed: NeededTools<'_>,
        fresh: bool,
        work: impl AsyncFnOnce(&Self) -> Result<Outcome, CliError>,
    ) -> Result<Outcome, CliError> {
        if let Some(kernel) = own_kernel().filter(|_| !fresh) {
            return Box::pin(work(&Self { kernel, running: Vec::new() })).await;
        }
        let limit = if let NeededTools::All = needed { TIMEOUT_SECS } else { wait::SOON.as_secs() };
        let running = if fresh { Vec::new() } else { reports(setup, limit, is_unlisted).await? };
        if !running.is_empty() {
            note(&asked(&running));
        }
        let catalogue = Self { kernel: setup.start_asleep().await?, running };
        let mut signals = Signals::listen()?;
        let outcome = tokio::select! {
            outcome = Box::pin(async {
                catalogue.ready(needed, &setup.principal()).await;
                let down = catalogue.down();
                let starting = wait::left(&catalogue.kernel.servers());
                let (starting, down): (Vec<_>, Vec<_>) = down.into_iter().partition(|id| starting.contains(id));
                if !starting.is_empty() {
                    note(&format!(
                        "still starting: {}; tools that they have not listed yet are missing; `mgp servers` waits for them",
                        starting.join(", ")
                    ));
                }
                if !down.is_empty() {
                    note(&format!("not connected: {}; see `mgp servers`", down.join(", ")));
                }
                work(&catalogue).await
            }) => outcome,
            () = signals.next() => Err(CliError::failed("the command was ended by a signal")),
        };
        tokio::select! {
            () = catalogue.kernel.shutdown() => {}
            () = signals.next() => {}
        }
        outcome
    }

    /// Starts the needed servers whose tools are not known.
    async fn ready(&self, needed: NeededTools<'_>, agent: &Principal) {
        let limit = Duration::from_secs(TIMEOUT_SECS);
        let _ = match needed {
            NeededTools::One(name) if self.running.is_empty() => {
                tokio::time::timeout(limit, wait::for_tool(&self.kernel, name, agent)).await
            }
            NeededTools::One(name) if self.kernel.operator().judged_tool(name).is_some() => Ok(()),
            NeededTools::Some => tokio::time::timeout(limit, wait::for_some(&self.unknown())).await,
            _ => tokio::time::timeout(limit, wait::for_servers(&self.unknown())).await,
        };
    }

    /// Returns the servers whose tools are not known. Without a running kernel, these are all servers. With one, these are the servers
    /// whose tool list was not kept, for example because it is too long.
    fn unknown(&self) -> Vec<Arc<Server>> {
        let servers = self.kernel.servers();
        let registry = self.kernel.registry();
        let lacks_tools = |server: &Server| {
            let known = registry.iter().find(|known| *known.id == *server.id());
            let has_tools = known.is_some_and(|known| !known.tools.is_empty());
            !has_tools && self.report(server).is_some_and(|report| report.tool_count > 0)
        };
        servers.iter().filter(|server| self.running.is_empty() || lacks_tools(server)).cloned().collect()
    }

    /// Returns the report of a server from the running kernel in which its state is best.
    fn report(&self, server: &Server) -> Option<&ServerReport> {
        let reports = self.running.iter().flat_map(|(_, status)| &status.servers);
        reports.filter(|report| report.id == server.id()).max_by_key(|report| is_up(report))
    }

    /// Returns the state of a server and the reason for it, from the running kernels if there are any.
    pub(crate) fn state_of(&self, server: &Server) -> (ServerState, String) {
        let status = server.status();
        match self.report(server) {
            Some(report) if status.state != ServerState::Connected => (report.state, report.reason.clone()),
            _ => (status.state, status.reason.to_string()),
        }
    }

    /// Returns the servers that are not connected, except those that start on demand.
    pub(crate) fn down(&self) -> Vec<String> {
        let is_down = |server: &&Arc<Server>| match self.report(server) {
            Some(report) => !is_up(report),
            None => server.status().state != ServerState::Connected && !server.is_on_demand(),
        };
        self.kernel.servers().iter().filter(is_down).map(|server| server.id().to_owned()).collect()
    }
}

/// Returns whether a server of a running kernel takes calls.
fn is_up(report: &ServerReport) -> bool {
    report.state == ServerState::Connected || report.on_demand
}

/// Returns whether a server of a running kernel is starting and no list of its tools is known.
fn is_unlisted(report: &ServerReport) -> bool {
    let starting = matches!(report.state, ServerState::Registered | ServerState::Connecting);
    starting && !report.on_demand && report.tool_count == 0
}
