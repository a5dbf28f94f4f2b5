//! The steps after hosts' files are written: the gateway starts, its servers are shown, and the first request of each host is awaited.

use super::report::ConnectReport;
#[cfg(unix)]
use crate::gateway::{self, GatewayPlace};
use crate::{
    control::{is_starting, kernels_that_run, reports, statuses},
    error::CliError,
    exit::Exit,
    options::Options,
    output::{note, on_one_line, print, print_json, say},
    setup::Setup,
    signals::Signals,
    terminal,
};
use clap::{ArgAction, Args, builder::FalseyValueParser};
use mgp_discovery::mcp_servers::Host;
use mgp_types::{
    lifecycle::{KernelStatus, KernelStatusParams, ReloadConfiguration, ServerReport, ServerState},
    negotiation::ExtensionSet,
    rpc::Empty,
};
use serde::Serialize;
use std::{collections::BTreeSet, path::Path, time::Duration};
use tokio::time::{Instant, sleep, timeout};

/// The time limit for the servers' start, in seconds.
const START: u64 = 60;
/// The time limit for a gateway that reads its configuration again.
const RELOAD: Duration = Duration::from_secs(60);
/// The time limit for the hosts' first requests at a terminal, in seconds.
const WAIT: u64 = 600;
/// The interval between two checks for the hosts.
const PAUSE: Duration = Duration::from_millis(250);
/// The number of checks after which new gateways are looked for.
const ROUNDS: u32 = 20;
/// The most names in one line.
const MAX_NAMED: usize = 8;
/// The most programs that are named although they are none of the hosts.
const MAX_OTHERS: usize = 20;

/// The options of the wait for hosts.
#[derive(Debug, Args)]
pub(super) struct WaitArgs {
    /// Wait this long for the first request of each connected host; defaults to 600 at a terminal, else to no wait
    #[arg(long, value_name = "SECS", conflicts_with_all = ["no_wait", "dry_run"], value_parser = clap::value_parser!(u64).range(1..=86_400))]
    wait: Option<u64>,
    /// End as soon as the files are written: neither start the gateway nor wait for the hosts
    #[arg(long)]
    no_wait: bool,
    /// Start no gateway, because each host has its own
    #[arg(long, env = "MGP_ALONE", hide = true, hide_env_values = true, value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue)]
    alone: bool,
}

impl WaitArgs {
    /// Returns whether the command goes on after the files are written.
    pub(super) fn follows(&self, json: bool) -> bool {
        cfg!(unix) && !self.no_wait && (self.wait.is_some() || (terminal::is_attached() && !json))
    }

    /// Returns whether the command line asks for the wait.
    pub(super) const fn is_asked(&self) -> bool {
        self.wait.is_some()
    }
}

/// An event, as a line of JSON or of text.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(super) enum Event<'a> {
    /// The files are written.
    Written(&'a ConnectReport),
    /// The gateway cannot be used.
    Failed {
        reason: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        help: Option<&'a str>,
    },
    Server {
        id: &'a str,
        state: ServerState,
        tools: &'a [String],
        /// The reason why the server is not connected, with the command that helps.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    Waiting {
        hosts: Vec<&'static str>,
        seconds: u64,
    },
    /// A program has sent its first request.
    Arrived {
        /// The host; `None` for another program.
        host: Option<&'static str>,
        name: &'a str,
        version: &'a str,
        tools: u64,
    },
    /// The time is over.
    Missing {
        hosts: Vec<&'static str>,
    },
}

impl Event<'_> {
    /// Prints the event to stdout: as JSON, or as the text for people.
    pub(super) fn show(&self, json: bool, text: &str) {
        match json {
            // An event holds only texts, numbers and names of states, so serializing cannot fail.
            true => print_json(&serde_json::to_string(self).unwrap_or_default()),
            false => print(text),
        }
    }
}

/// Starts the gateway of a configuration, or makes it read the file again, shows its servers, and waits for the first request of each host. A
/// signal ends the wait.
pub(super) async fn follow(
    options: &Options,
    args: &WaitArgs,
    path: &Path,
    hosts: &[Host],
) -> Result<Exit, CliError> {
    let mut signals = Signals::listen()?;
    let steps = async {
        let config = Some(path.display().to_string());
        let options = Options { config, demo: false, ..options.clone() };
        let shown = show_servers(&options, args.alone).await;
        if !options.json {
            print(&next(hosts));
        }
        match shown {
            Ok(setup) => Ok(wait(&setup, args, options.json, hosts).await),
            Err(error) => {
                // The files are written, and the hosts' users need the next step too.
                match options.json {
                    true => Event::Failed { reason: error.message(), help: error.advice() }.show(true, ""),
                    false => say(&error.to_text()),
                }
                Ok(error.exit)
            }
        }
    };
    tokio::select! {
        exit = Box::pin(steps) => exit,
        () = signals.next() => Ok(Exit::Success),
    }
}

/// Returns the line with the step of each host.
pub(super) fn next(hosts: &[Host]) -> String {
    let steps: Vec<_> = hosts.iter().map(|host| host.reload_step()).collect();
    format!("Next: {}. `mgp disconnect` puts everything back.", steps.join("; "))
}

/// Starts the gateway, or makes it read its configuration again, and shows a line for each server.
async fn show_servers(options: &Options, alone: bool) -> Result<Setup, CliError> {
    let setup = Box::pin(Setup::load(options)).await?;
    let is_own = |status: &KernelStatus| status.configuration.as_deref() == Some(&*setup.configuration());
    let kernels = kernels_that_run(&setup, ExtensionSet::EMPTY).await;
    let params = KernelStatusParams::default();
    let own = match kernels.is_empty() {
        true => Vec::new(),
        false => statuses(&kernels, &params).await?,
    };
    let own: Vec<u32> = own.into_iter().filter(|(_, status)| is_own(status)).map(|(pid, _)| pid).collect();
    for kernel in kernels.iter().filter(|kernel| own.contains(&kernel.pid)) {
        let empty = Empty::default();
        let reload = kernel.client.request::<ReloadConfiguration>(&empty);
        timeout(RELOAD, reload).await.map_err(|_| {
            let problem = format!("the gateway of process {} did not read its file again", kernel.pid);
            CliError::new(Exit::Unreachable, problem).help("see `mgp status` and `mgp logs`")
        })??;
    }
    if own.is_empty() && !alone {
        start(&setup, options).await?;
    }
    for (_, status) in reports(&setup, START, is_starting).await? {
        for server in &status.servers {
            let reason = (server.state != ServerState::Connected).then(|| advised(server));
            let event = Event::Server {
                id: &server.id,
                state: server.state,
                tools: &server.tools,
                reason: reason.clone(),
            };
            event.show(options.json, &line(server, reason));
        }
        if !options.json {
            status.waiting.iter().for_each(|waiting| note(&waiting.to_string()));
            status.closed.iter().for_each(|closed| note(&closed.reason));
        }
    }
    Ok(setup)
}

/// Starts the gateway that the hosts will use.
#[cfg(unix)]
async fn start(setup: &Setup, options: &Options) -> Result<(), CliError> {
    let words = [("--config", &options.config), ("--state-dir", &options.state_dir)];
    let words = words.into_iter().filter_map(|(name, value)| Some([name.to_owned(), value.clone()?]));
    let words = std::iter::once("serve".to_owned()).chain(words.flatten());
    gateway::start(&GatewayPlace::of(setup, "")?, words.map(Into::into)).await
}

#[cfg(not(unix))]
async fn start(_: &Setup, _: &Options) -> Result<(), CliError> {
    Ok(())
}

/// Returns the reason why a server is not connected, with a command that helps.
fn advised(server: &ServerReport) -> String {
    let id = &server.id;
    if server.stopped {
        return format!("it was stopped by an operator: `mgp servers start {id}` starts it");
    }
    match server.on_demand {
        true => "it starts with the first request that needs it".to_owned(),
        false if server.reason.contains("`mgp ") => server.reason.clone(),
        false if server.reason.is_empty() => format!("it is {}: see `mgp logs {id}`", server.state),
        false => format!("{}; `mgp logs {id}` shows more", server.reason),
    }
}

fn line(server: &ServerReport, reason: Option<String>) -> String {
    let names: Vec<_> = server.tools.iter().take(MAX_NAMED).map(String::as_str).collect();
    let more = if server.tools.len() > MAX_NAMED { ", ..." } else { "" };
    let said = reason.unwrap_or_else(|| match server.tools.len() {
        0 => "no tools".to_owned(),
        count => format!("{}: {}{more}", tools(count as u64), names.join(", ")),
    });
    format!("  {}: {}", on_one_line(&server.id), on_one_line(&said))
}

fn tools(count: u64) -> String {
    if count == 1 { "1 tool".to_owned() } else { format!("{count} tools") }
}

/// Waits for the first request of each host.
async fn wait(setup: &Setup, args: &WaitArgs, json: bool, hosts: &[Host]) -> Exit {
    let seconds = args.wait.unwrap_or(WAIT);
    let end = Instant::now() + Duration::from_secs(seconds);
    let ids = |hosts: &[Host]| hosts.iter().map(|host| host.id()).collect();
    let names = |hosts: &[Host]| hosts.iter().map(|host| host.name()).collect::<Vec<_>>().join(", ");
    let text = format!(
        "waiting for the first request of {} (Ctrl+C ends the waiting; everything is written)",
        names(hosts)
    );
    Event::Waiting { hosts: ids(hosts), seconds }.show(json, &text);
    let mut arrivals = Arrivals { left: hosts.to_vec(), others: BTreeSet::new() };
    let (mut kernels, mut round) = (Vec::new(), 0_u32);
    while !arrivals.left.is_empty() && Instant::now() < end {
        if kernels.is_empty() || round.is_multiple_of(ROUNDS) {
            kernels = kernels_that_run(setup, ExtensionSet::EMPTY).await;
        }
        round = round.wrapping_add(1);
        let mut known = Vec::new();
        if !kernels.is_empty() {
            let params = KernelStatusParams::default();
            known = statuses(&kernels, &params).await.unwrap_or_default();
            // A gateway that has ended is noted once.
            kernels.retain(|kernel| known.iter().any(|(pid, _)| *pid == kernel.pid));
        }
        known.retain(|(_, status)| status.configuration.as_deref() == Some(&*setup.configuration()));
        known.iter().for_each(|(_, status)| arrivals.take(status, json));
        if !arrivals.left.is_empty() {
            sleep(PAUSE).await;
        }
    }
    if arrivals.left.is_empty() {
        return Exit::Success;
    }
    let text = format!(
        "no request of {} within {seconds} s; everything is written, and `mgp status` shows the hosts that are there",
        names(&arrivals.left)
    );
    Event::Missing { hosts: ids(&arrivals.left) }.show(json, &text);
    if args.is_asked() { Exit::Unreachable } else { Exit::Success }
}

/// The programs that have sent their first request.
struct Arrivals {
    /// The hosts that are still awaited.
    left: Vec<Host>,
    /// The names of the programs that are none of them.
    others: BTreeSet<String>,
}

impl Arrivals {
    /// Shows the programs that are new in a gateway's report.
    fn take(&mut self, status: &KernelStatus, json: bool) {
        let count = status.servers.iter().map(|server| server.tool_count).sum();
        for program in &status.hosts {
            let (name, version) = (&*program.name, &*program.version);
            let host = Host::of_client(name);
            let shown = match host {
                Some(host) => {
                    let Some(at) = self.left.iter().position(|left| *left == host) else { continue };
                    self.left.remove(at);
                    host.name().to_owned()
                }
                // The commands of this program state its name.
                None if name == env!("CARGO_PKG_NAME") || self.others.len() >= MAX_OTHERS => continue,
                None if !self.others.insert(name.to_owned()) => continue,
                None => format!("{} {}, another program,", on_one_line(name), on_one_line(version)),
            };
            let event = Event::Arrived { host: host.map(Host::id), name, version, tools: count };
            event.show(json, &format!("{shown} is here: {}", tools(count)));
        }
    }
}
