//! `mgp serve`: runs the gateway for hosts.

#[cfg(feature = "console")]
use crate::console::{ConsoleServer, RunLine};
#[cfg(unix)]
use crate::gateway::{self, GatewayListener, GatewayPlace};
use crate::{
    error::CliError,
    exit::Exit,
    logging::{self, LogFiles},
    notify::{ConsoleAddress, Notifier, NotifyingSink},
    options::Options,
    output::{Outcome, note, say},
    reload,
    replica::Replica,
    setup::{Reloader, Setup, resource_server},
    signals::Signals,
    traces::TraceExport,
    until::CancellableReader,
};
use clap::{ArgAction, Args, ValueEnum, builder::FalseyValueParser};
use mgp_discovery::config::HttpConfig;
use mgp_kernel::{Kernel, StateFolder, command_word};
use mgp_security::keys::Keys;
use mgp_toolindex::exposure::Exposure;
#[cfg(unix)]
use mgp_transport::http::server::PassedSocket;
use mgp_transport::{
    connection::{Config, ConnectionError, EndOfInput},
    http::server::{ApiKey, HttpServer, HttpServerConfig, ServeError},
    seam::KeyRing as _,
    stdio,
};
use mgp_types::context::Principal;
use std::{
    io::{self, IsTerminal},
    net::SocketAddr,
    sync::Arc,
    time::Duration,
};
use tokio_util::sync::CancellationToken;

/// Run the gateway, as a host's only server in front of all others
///
/// Speaks MCP and MGP over stdin and stdout, and exits when stdin is closed. With --http it serves Streamable HTTP
/// instead, until SIGINT or SIGTERM, or until a host with the admin role sends mgp/lifecycle/shutdown. Without a
/// configuration, a host gets no tools, only instructions; at a terminal, and with --demo, the demo's servers are used.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Serve HTTP instead of stdio; without ADDR, at http.listen of the configuration
    #[arg(long, value_name = "ADDR")]
    #[expect(clippy::option_option, reason = "not given, given, given with an address")]
    http: Option<Option<SocketAddr>>,
    /// Also serve the tools as plain HTTP requests, with a page about them at /docs; defaults to http.rest of the
    /// configuration
    #[arg(long, requires = "http")]
    rest: bool,
    /// The tools that hosts are shown; defaults to kernel.exposure of the configuration
    #[arg(long, value_enum)]
    exposure: Option<ShownTools>,
    /// Serve this host without the gateway that all hosts of the user share; the servers then run for this host only
    #[arg(long, env = "MGP_ALONE", hide_env_values = true, value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue)]
    #[cfg_attr(not(unix), expect(dead_code, reason = "every host is served by its own process"))]
    alone: bool,
    /// Be the gateway that all hosts of the user share
    #[arg(long, hide = true, conflicts_with = "http")]
    #[cfg_attr(not(unix), expect(dead_code, reason = "every host is served by its own process"))]
    gateway: bool,
}

/// The tools that a host is shown.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum ShownTools {
    /// All tools that the agent may call
    Full,
    /// The meta-tools, pinned tools, and tools that the session has loaded or used; all tools if there are few
    Hybrid,
    /// The meta-tools, and the categories of tools
    Category,
    /// Only the meta-tools
    Discovery,
}

impl From<ShownTools> for Exposure {
    fn from(shown: ShownTools) -> Self {
        match shown {
            ShownTools::Full => Self::Full,
            ShownTools::Hybrid => Self::Hybrid,
            ShownTools::Category => Self::Category,
            ShownTools::Discovery => Self::Discovery,
        }
    }
}

impl ServeArgs {
    /// Returns whether this process only hands its host to the gateway.
    #[cfg(unix)]
    pub(crate) fn hands_over(&self) -> bool {
        !self.gateway && self.is_for_gateway()
    }

    /// Returns the place of the gateway that serves the host; `None` if this process serves it itself, or if no host has started it.
    #[cfg(unix)]
    fn gateway_place(&self, setup: &Setup) -> Result<Option<GatewayPlace>, CliError> {
        if !self.is_for_gateway() {
            return Ok(None);
        }
        let exposure = self.exposure.map(|shown| format!("{shown:?}")).unwrap_or_default();
        GatewayPlace::of(setup, &exposure).map(Some)
    }

    #[cfg(unix)]
    fn is_for_gateway(&self) -> bool {
        self.http.is_none() && !self.alone && !io::stdin().is_terminal()
    }
}

pub(crate) async fn run(
    options: &Options,
    args: ServeArgs,
    #[cfg(feature = "console")] run_line: RunLine,
) -> Result<Outcome, CliError> {
    let setup = Setup::load(options).await?;
    #[cfg(unix)]
    let place = args.gateway_place(&setup)?;
    #[cfg(unix)]
    if let Some(place) = place.as_ref().filter(|_| args.hands_over()) {
        let agent = setup.agent.clone();
        // This process has to stay small: hosts start one each, and it waits as long as they run.
        drop(setup);
        return Box::pin(gateway::serve_host(place, &agent, options.json)).await;
    }
    if let Err(error) = logging::keep_in(LogFiles::of(&setup.state)) {
        note(&format!("no logs are kept for `mgp logs`: {error}"));
    }
    let endpoint = match args.http {
        None => None,
        Some(given) => Some(Endpoint::of(given.or(http(&setup).listen))?),
    };
    let mut signals = Signals::listen()?;
    let traces = TraceExport::start(&setup).await?;
    let reloader = Arc::new(Reloader::new(options, &setup, args.exposure.map(Exposure::from)));
    #[cfg(unix)]
    let approver = Arc::new(crate::control::GatewayApprover::default());
    #[cfg(not(unix))]
    let approver = Arc::new(mgp_kernel::AskHost::new());
    #[cfg(feature = "console")]
    let console = ConsoleServer::new(options, run_line, &reloader);
    #[cfg(feature = "console")]
    let routes = reloader.routes().merge(console.routes());
    #[cfg(not(feature = "console"))]
    let routes = reloader.routes();
    #[cfg(feature = "console")]
    let console_address: ConsoleAddress = {
        let (console, public) = (console.clone(), public_console(&setup));
        Arc::new(move || public.clone().or_else(|| console.origin()))
    };
    #[cfg(not(feature = "console"))]
    let console_address: ConsoleAddress = Arc::new(|| None);
    let notifier = Notifier::start(&setup, &console_address)?;
    let kernel = setup
        .serve(approver, &reloader, routes, |builder, trail| {
            builder.audit_sink(NotifyingSink::new(trail, notifier))
        })
        .await?;
    reloader.serves(&kernel);
    let following = tokio::spawn(reload::follow(reloader.clone())).abort_handle();
    #[cfg(unix)]
    let control = crate::control::ControlSocket::listen(&kernel, &setup.state).await;
    let metrics = crate::metrics_page::serve(&kernel, &setup).await;
    #[cfg(feature = "console")]
    let pages = crate::console::serve_network(options, run_line, (&kernel, &reloader), &setup).await?;
    #[cfg(not(feature = "console"))]
    if public_console(&setup).is_some() {
        note("console.listen needs a program with the feature `console`: no console is served");
    }
    let served = match endpoint {
        #[cfg(unix)]
        None if let Some(place) = place => {
            let idle = setup.idle_exit();
            let listener = GatewayListener::bind(
                &place,
                &kernel,
                &reloader,
                #[cfg(feature = "console")]
                console,
            )?;
            Box::pin(listener.serve(idle, &mut signals)).await
        }
        None => serve_stdio(&kernel, setup.principal(), &mut signals).await,
        Some(endpoint) => Box::pin(serve_http(&kernel, &setup, args.rest, endpoint, &mut signals)).await,
    };
    following.abort();
    reloader.ends();
    // The control socket closes first, so that commands do not find a gateway that has ended. Another signal stops
    // the sending of the last spans.
    #[cfg(unix)]
    drop(control);
    drop(metrics);
    #[cfg(feature = "console")]
    drop(pages);
    tokio::select! {
        () = traces.finish() => {}
        () = signals.next() => {}
    }
    served?;
    Ok(Outcome::silent())
}

/// The place where HTTP is served.
enum Endpoint {
    /// An address to bind.
    Address(SocketAddr),
    /// A socket that systemd has bound.
    #[cfg(unix)]
    Passed(PassedSocket),
}

impl Endpoint {
    /// Returns the socket that systemd has passed, otherwise the address.
    fn of(address: Option<SocketAddr>) -> Result<Self, CliError> {
        #[cfg(unix)]
        if let Some(socket) = PassedSocket::take().map_err(|error| not_passed(&error))? {
            return Ok(Self::Passed(socket));
        }
        address.map(Self::Address).ok_or_else(|| {
            CliError::usage("--http needs an address")
                .help("add one, such as --http 127.0.0.1:7433, or set http.listen")
        })
    }
}

#[cfg(unix)]
fn not_passed(error: &io::Error) -> CliError {
    CliError::new(Exit::Configuration, error.to_string()).help(
        "a .socket unit of systemd needs exactly one ListenStream=, with an address such as 127.0.0.1:7433",
    )
}

/// The time limit for writing the last answers after all servers have stopped.
const LAST_ANSWERS: Duration = Duration::from_secs(5);

/// Serves the host that started this program until it closes stdin or a signal arrives. Then calls that wait for an approval are answered
/// at once, and running calls get until the time limits of their servers. A second signal cuts them off.
async fn serve_stdio(kernel: &Kernel, principal: Principal, signals: &mut Signals) -> Result<(), CliError> {
    let end = CancellationToken::new();
    let input = CancellableReader::new(stdio::stdin(), end.clone());
    // The end is bounded by the servers' time limits, not by one of the connection.
    let config = Config { end_of_input: EndOfInput::Drain(Duration::MAX), ..stdio::config() };
    let host = kernel.face().serve(principal, config, input, tokio::io::stdout());
    let (peer, closed) = (host.peer().clone(), host.closed());
    tokio::pin!(closed);
    let limit = tokio::select! {
        reason = &mut closed => {
            kernel.shutdown().await;
            return parted(reason);
        }
        // The host has sent its last request.
        () = peer.draining() => tokio::select! {
            reason = &mut closed => {
                kernel.shutdown().await;
                return parted(reason);
            }
            () = tokio::time::sleep(kernel.drain_limit()) => Some(Duration::ZERO),
            () = stopped(kernel, signals) => None,
        },
        () = stopped(kernel, signals) => None,
    };
    end.cancel();
    let parting = async {
        match limit {
            Some(limit) => kernel.shutdown_within(limit).await,
            None => kernel.shutdown().await,
        }
        tokio::time::timeout(LAST_ANSWERS, closed).await
    };
    let reason = tokio::select! {
        reason = parting => reason.ok(),
        () = signals.next() => None,
    };
    let Some(reason) = reason else {
        note("calls that were running are cut off");
        return Ok(());
    };
    parted(reason)
}

/// Waits for a signal, or for a host with the admin role to stop the kernel.
async fn stopped(kernel: &Kernel, signals: &mut Signals) {
    tokio::select! {
        () = signals.next() => {}
        () = kernel.stop_requested() => {}
    }
}

/// Returns the outcome of the end of the host's connection: an error if answers were lost that the host could still have read.
pub(crate) fn parted(reason: ConnectionError) -> Result<(), CliError> {
    match reason {
        ConnectionError::Closed | ConnectionError::Shutdown => Ok(()),
        // The host closed its end, usually because it exited.
        ConnectionError::Write(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        ConnectionError::WriteTimeout(_) | ConnectionError::Unread(_) => {
            Err(CliError::failed(format!("the host does not read this program's stdout: {reason}"))
                .help("have the host read stdout while it writes to stdin"))
        }
        reason => Err(CliError::failed(format!("the connection with the host is lost: {reason}"))),
    }
}

async fn serve_http(
    kernel: &Kernel,
    setup: &Setup,
    rest: bool,
    endpoint: Endpoint,
    signals: &mut Signals,
) -> Result<(), CliError> {
    let keys = Keys::open(Arc::new(setup.state.keys()?), kernel.access().clone()).await?;
    let config = http(setup);
    let asks_nobody = keys.is_empty() && config.api_keys.is_empty() && config.oauth.is_none();
    let replica = Replica::join(setup, Duration::from_secs(config.session_idle_secs)).await?;
    let server = server(kernel, setup, keys, rest, replica.as_ref()).await?;
    let mut serving = match endpoint {
        Endpoint::Address(address) => {
            server.bind(address).await.map_err(|error| not_bound(address, &error))?
        }
        #[cfg(unix)]
        Endpoint::Passed(socket) => {
            let address = socket.address();
            server.serve_passed(socket).map_err(|error| not_bound(address, &error))?
        }
    };
    kernel.count_connections(serving.connections());
    // Until the end, other replicas forward the last messages of sessions.
    let _replica = replica.map(|replica| replica.serve(&server, kernel));
    say(&format!("serving MCP at http://{}/mcp", serving.address()));
    if asks_nobody {
        let agent = command_word(&setup.agent);
        note(&format!(
            "no key is asked for: every user and every program of this machine may call tools for agent {agent} there; make a \
             key with `mgp keys add NAME --agent {agent}`, or set http.oauth"
        ));
    }
    let ended = tokio::select! {
        ended = serving.ended() => ended,
        () = stopped(kernel, signals) => Ok(()),
    };
    // Another signal ends the wait for balancers.
    tokio::select! {
        () = serving.announce_shutdown() => {}
        () = signals.next() => {}
    }
    tokio::select! {
        _ = async { tokio::join!(serving.shutdown(), kernel.shutdown()) } => {}
        () = signals.next() => note("calls that were running are cut off"),
    }
    Ok(ended?)
}

async fn server(
    kernel: &Kernel,
    setup: &Setup,
    keys: Keys,
    rest: bool,
    replica: Option<&Replica>,
) -> Result<HttpServer, CliError> {
    let config = http(setup);
    let mut builder =
        kernel.http().config(http_bounds(kernel, &config)).principal(setup.principal()).key_ring(keys);
    if let Some(replica) = replica {
        builder = replica.put_into(builder);
    }
    let (ready, state, required) = (kernel.clone(), setup.state.clone(), config.required_servers.clone());
    builder = builder.ready_when(move || check_ready(ready.clone(), state.clone(), required.clone()));
    if config.sse {
        builder = builder.http_sse("/sse");
    }
    if rest || config.rest {
        builder = builder.docs();
    }
    for host in &config.allowed_hosts {
        builder = builder.allow_host(host);
    }
    for origin in &config.allowed_origins {
        builder = builder.allow_origin(origin);
    }
    for key in &config.api_keys {
        let hash: ApiKey = key.hash.parse().map_err(|error| {
            CliError::new(Exit::Configuration, format!("http.api_keys: the key {:?} has an {error}", key.id))
        })?;
        let agent = Principal::agent(&key.agent);
        let owner = if key.admin { agent.with_admin() } else { agent };
        builder = builder.named_api_key(&key.id, hash, owner);
    }
    if let Some(oauth) = &config.oauth {
        builder = builder.authenticate(resource_server(setup, oauth).await?);
        if let Some(resource) = &oauth.resource {
            let url = resource.parse().map_err(|error| {
                CliError::new(Exit::Configuration, format!("http.oauth.resource: {error}"))
            })?;
            builder = builder.resource(url);
        }
    }
    Ok(builder.build())
}

/// Checks that the store can be asked, and that every required server takes calls or starts on demand.
async fn check_ready(kernel: Kernel, state: StateFolder, required: Vec<String>) -> Result<(), String> {
    state.check().map_err(|error| error.to_string())?;
    let down = kernel.ready(Duration::ZERO).await;
    let servers = kernel.servers();
    let is_missing =
        |id: &&String| down.contains(id) || !servers.iter().any(|server| server.id() == id.as_str());
    match required.iter().find(is_missing) {
        Some(id) => Err(format!("server {id} is not connected")),
        None => Ok(()),
    }
}

/// Returns the limits of the HTTP server. At a shutdown, running calls get the longest time limit of any server, and at least the default
/// one.
fn http_bounds(kernel: &Kernel, config: &HttpConfig) -> HttpServerConfig {
    let drain_timeout = HttpServerConfig::default().drain_timeout;
    HttpServerConfig {
        max_body: config.body_limit,
        total_body_limit: config.total_body_limit,
        total_body_limit_of_one: config.total_body_limit_per_agent,
        read_timeout: Duration::from_secs(config.body_secs),
        connections: config.max_connections,
        unauthenticated_connections: config.max_unauthenticated_connections,
        connections_of_one: config.max_connections_per_agent,
        head_timeout: Duration::from_secs(config.head_secs),
        sessions: config.max_sessions,
        sessions_of_one: config.max_sessions_per_agent,
        idle_timeout: Duration::from_secs(config.session_idle_secs),
        shutdown_delay: Duration::from_millis(config.shutdown_delay_ms),
        drain_timeout: drain_timeout.max(kernel.drain_limit().saturating_add(LAST_ANSWERS)),
        ..HttpServerConfig::default()
    }
}

/// Returns the origin of the console for other machines, if there is one.
fn public_console(setup: &Setup) -> Option<String> {
    let config = &setup.loaded.as_ref()?.config.console;
    config.origin.clone().filter(|_| config.listen.is_some())
}

fn http(setup: &Setup) -> HttpConfig {
    setup.loaded.as_ref().map(|loaded| loaded.config.http.clone()).unwrap_or_default()
}

fn not_bound(address: SocketAddr, error: &ServeError) -> CliError {
    match error {
        ServeError::OpenToAll(_) => CliError::new(
            Exit::Configuration,
            format!("others can reach {address}, and there is no API key"),
        )
        .help(
            "make a key with `mgp keys add`, or set http.oauth, or serve a loopback address such as 127.0.0.1:7433",
        ),
        ServeError::NoResource(_) => {
            let message = format!("tokens cannot be meant for {address}, which is not a single address");
            CliError::new(Exit::Configuration, message)
                .help("set http.oauth.resource to the URL that hosts use")
        }
        error => CliError::failed(error).help("choose another port"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedded::in_process;
    use mgp_server_sdk::Server;

    #[tokio::test]
    async fn calls_over_http_end_within_the_time_limits_of_servers() {
        let default = HttpServerConfig::default().drain_timeout;
        for (limit, is_default) in [(default / 2, true), (default * 4, false)] {
            let mut spec = in_process("slow", Server::new("slow", "1.0.0").build().unwrap());
            spec.shutdown_timeout = limit;
            let kernel = Kernel::builder().server(spec).start().await.unwrap();
            // A server that starts adds the time limit of its start.
            assert_eq!(kernel.ready(Duration::from_secs(120)).await, Vec::<String>::new());
            let bounds = http_bounds(&kernel, &HttpConfig::default());
            let expected = if is_default { default } else { limit + LAST_ANSWERS };
            assert_eq!(bounds.drain_timeout, expected);
        }
    }
}
