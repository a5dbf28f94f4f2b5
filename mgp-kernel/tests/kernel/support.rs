//! A kernel in front of servers made with the server SDK, and hosts that speak to it.

use crate::engine::stores;
use mgp_client_sdk::client::{Client, ClientBuilder, RetryPolicy};
use mgp_discovery::config::AgentConfig;
use mgp_kernel::{
    Configuration, Endpoint, Era, EraChoice, Exposure, InProcess, Kernel, KernelBuilder, ServerSpec,
};
use mgp_security::audit::MemorySink;
use mgp_server_sdk::{Progress, Server, StreamSink, Tool, extract::Args};
use mgp_transport::{connection::Config, memory, seam::CallError};
use mgp_types::{
    access::{AccessDecision, AccessEntry, DefaultPolicy, EntryType},
    audit::AuditEvent,
    context::Principal,
    error::ErrorCode,
    json::Nullable,
    negotiation::ExtensionSet,
};
use schemars::JsonSchema;
use serde::Deserialize;
use std::{sync::Arc, time::Duration};
use tokio::sync::Notify;
pub(crate) use xtask_testing::{json, until, until_some, within};

/// The signals between the handlers of the test server and the test.
#[derive(Clone, Default)]
pub(crate) struct Signals {
    /// Notified when `hang` starts.
    pub(crate) started: Arc<Notify>,
    /// Notified when the handler of `hang` is dropped.
    pub(crate) dropped: Arc<Notify>,
}

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: f64,
    b: f64,
}

#[derive(Deserialize, JsonSchema)]
struct Shell {
    command: String,
}

#[derive(Deserialize, JsonSchema)]
struct Steps {
    steps: u32,
}

async fn add(Args(Add { a, b }): Args<Add>) -> String {
    (a + b).to_string()
}

async fn shell(Args(Shell { command }): Args<Shell>) -> String {
    format!("ran {command}")
}

async fn count(Args(Steps { steps }): Args<Steps>, mut progress: Progress, mut sink: StreamSink) -> String {
    let mut text = String::new();
    for step in 0..steps {
        let _ = progress.report(f64::from(step + 1), Some(f64::from(steps)), None).await;
        let _ = sink.send_text(&format!("{step} ")).await;
        text.push_str(&format!("{step} "));
    }
    text
}

/// A guard that notifies when it is dropped.
struct Ring(Arc<Notify>);

impl Drop for Ring {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

/// Returns a server with tools of every kind that the tests need.
pub(crate) fn server(signals: &Signals) -> Endpoint {
    let hang = {
        let signals = signals.clone();
        move || {
            let signals = signals.clone();
            async move {
                let _ring = Ring(signals.dropped.clone());
                signals.started.notify_one();
                std::future::pending::<String>().await
            }
        }
    };
    let stack = Server::new("test", "1.0.0")
        .tool(Tool::new("add", "Adds two numbers", add))
        .tool(Tool::new("run_shell", "Runs a command in a shell", shell))
        .tool(Tool::new("count", "Counts upwards, step by step", count))
        .tool(Tool::new("hang", "Never answers", hang))
        .tool(Tool::new("secret", "Needs a camera", || async { "a picture" }).permissions(["camera"]))
        .build()
        .unwrap();
    Endpoint::InProcess(InProcess::new(move || stack.in_process()))
}

/// Returns the spec of the test server under an id.
pub(crate) fn spec(id: &str, signals: &Signals) -> ServerSpec {
    let mut spec = ServerSpec::new(id, server(signals));
    spec.default_policy = DefaultPolicy::OptOut;
    spec
}

/// Returns the spec of the test server, spoken to in sessions. The tools of a stateless server are listed again soon after the start, when
/// the kernel begins to listen to it.
pub(crate) fn spec_of_sessions(id: &str, signals: &Signals) -> ServerSpec {
    let mut spec = spec(id, signals);
    spec.era = EraChoice::Known(Era::Initialize);
    spec
}

/// A kernel, its events, and the signals of its servers.
pub(crate) struct Setup {
    pub(crate) kernel: Kernel,
    pub(crate) sink: MemorySink,
    pub(crate) signals: Signals,
}

/// Starts a kernel in front of one test server that everybody may use.
pub(crate) async fn open() -> Setup {
    start(|builder, signals| builder.server(spec("test", signals))).await
}

/// Starts a kernel that a test configures.
pub(crate) async fn start(build: impl FnOnce(KernelBuilder, &Signals) -> KernelBuilder) -> Setup {
    let (sink, signals) = (MemorySink::new(1000), Signals::default());
    let builder = build(Kernel::builder().stores(stores().await).audit_sink(sink.clone()), &signals);
    let kernel = builder.config(agent_test).start().await.unwrap();
    ready(&kernel).await;
    Setup { kernel, sink, signals }
}

/// Makes `agent.test` the agent of a kernel.
pub(crate) fn agent_test(config: &mut Configuration) {
    config.kernel.agent = "agent.test".into();
}

/// Returns a change that adds agents to a configuration.
pub(crate) fn agents<const N: usize>(ids: [&str; N]) -> impl FnOnce(&mut Configuration) {
    move |config| config.agents.extend(ids.map(AgentConfig::from))
}

/// Shows hosts all tools.
pub(crate) fn full(config: &mut Configuration) {
    config.kernel.exposure = Exposure::Full;
}

/// Waits until every server of a kernel that is just starting is ready.
pub(crate) async fn ready(kernel: &Kernel) {
    let down = kernel.ready(START_LIMIT).await;
    let states: Vec<_> = kernel.servers().iter().map(|server| server.status()).collect();
    assert!(down.is_empty(), "{down:?} are down: {states:?}");
}

/// The limit of waits for the first starts of servers. Such a wait ends as soon as no server is starting any more. A paused clock jumps ahead while
/// a thread outside the runtime is at work, such as that of the tool index, and can pass any shorter limit.
pub(crate) const START_LIMIT: Duration = Duration::from_millis(START_LIMIT_MS);

/// The same limit for `kernel.start_wait_ms`.
pub(crate) const START_LIMIT_MS: u64 = 10 * 365 * 24 * 3_600_000;

impl Setup {
    /// Connects a host that speaks MGP.
    pub(crate) async fn host(&self) -> Client {
        self.host_that(ExtensionSet::ALL, Principal::agent("agent.test")).await
    }

    /// Connects a plain MCP host.
    pub(crate) async fn plain_host(&self) -> Client {
        self.host_that(ExtensionSet::EMPTY, Principal::agent("agent.test")).await
    }

    pub(crate) async fn host_that(&self, offered: ExtensionSet, principal: Principal) -> Client {
        let mut builder = Client::builder("test host", "1.0.0");
        if offered == ExtensionSet::EMPTY {
            builder = builder.without_mgp();
        }
        self.connect(builder, principal).await
    }

    /// Connects a host that a test configures.
    pub(crate) async fn host_with(&self, builder: ClientBuilder) -> Client {
        self.connect(builder, Principal::agent("agent.test")).await
    }

    async fn connect(&self, builder: ClientBuilder, principal: Principal) -> Client {
        let (here, there) = memory::pair();
        let connection = self.kernel.face().serve(principal, Config::default(), there.0, there.1);
        tokio::spawn(connection.closed());
        // The client has no timeouts and makes no retries, because the tests are about those of the kernel.
        let builder = builder.request_timeout(Duration::MAX).max_request_timeout(Duration::MAX);
        let builder = builder.retries(RetryPolicy::never());
        builder.connect(here.0, here.1).await.unwrap()
    }

    /// Returns the events of calls, as `TYPE RESULT server.tool`.
    pub(crate) fn calls(&self) -> Vec<String> {
        let line = |event: &AuditEvent| {
            let target = event.target.get()?;
            let tool = target.tool_name.get()?;
            let server = target.server_id.get().cloned().unwrap_or_default();
            Some(format!("{} {} {server}.{tool}", event.event_type, event.result))
        };
        self.sink.events().iter().filter_map(line).collect()
    }

    /// Waits until a permission that a server needs is an open question that was announced, some time after the server is connected.
    pub(crate) async fn permission_asked(&self) {
        let is_asked = |event: &AuditEvent| event.event_type.as_str() == "dev.cloto.mgp.APPROVAL_NEEDED";
        until(|| self.sink.events().iter().any(is_asked)).await;
        let pending = async || self.kernel.permissions().pending().await.unwrap().pop();
        until_some(pending).await;
    }

    /// Waits until there are events of `count` calls.
    pub(crate) async fn calls_recorded(&self, count: usize) -> Vec<String> {
        until(|| self.calls().len() >= count).await;
        self.calls()
    }
}

/// Returns a rule for `agent.test`.
pub(crate) fn rule(server: &str, tool: Option<&str>, permission: AccessDecision) -> AccessEntry {
    AccessEntry {
        entry_type: if tool.is_some() { EntryType::ToolGrant } else { EntryType::ServerGrant },
        agent_id: "agent.test".to_owned(),
        server_id: server.to_owned(),
        tool_name: tool.map(str::to_owned).into(),
        permission: Some(permission),
        granted_by: Nullable::Value("test".to_owned()),
        granted_at: Nullable::Null,
        expires_at: Nullable::Null,
        justification: Nullable::Absent,
    }
}

/// Returns a rule for a whole server, which opens its resources and prompts too.
pub(crate) fn server_rule(agent: &str, server: &str) -> AccessEntry {
    AccessEntry { agent_id: agent.to_owned(), ..rule(server, None, AccessDecision::Allow) }
}

/// Returns the code of a refusal.
pub(crate) fn code(error: &CallError) -> i64 {
    match error {
        CallError::Peer(error) => error.code,
        other => panic!("not an answer: {other}"),
    }
}

pub(crate) fn number(code: ErrorCode) -> i64 {
    code.into()
}

/// A time longer than any wait of the kernel before it sends a message.
pub(crate) const PAUSE: Duration = Duration::from_secs(2);

/// Waits until every task of this process is waiting, however slow the machine is.
/// Work on other threads, such as that of the tool index, is not waited for.
pub(crate) async fn idle() {
    pass(PAUSE).await;
}

/// Lets an amount of time pass on the clock of the process, step by step: each step comes once every task is waiting.
pub(crate) async fn pass(time: Duration) {
    let _paused = pause_clock();
    tokio::time::sleep(time).await;
}

/// Moves the clock of the process forward at once, when every task is waiting. Child processes and other threads do not notice it.
pub(crate) async fn jump(time: Duration) {
    let _paused = pause_clock();
    tokio::time::sleep(Duration::from_millis(1)).await;
    tokio::time::advance(time).await;
}

/// Pauses the clock of the process until the guard is dropped. A paused clock moves to the next timer whenever every task is waiting.
///
/// While it is paused, a test must not wait for work that does not follow the clock: that of child processes, sockets or the tool index.
pub(crate) fn pause_clock() -> PausedClock {
    tokio::time::pause();
    PausedClock(())
}

/// A guard that resumes the clock of the process when it is dropped.
#[must_use]
pub(crate) struct PausedClock(());

impl Drop for PausedClock {
    fn drop(&mut self) {
        tokio::time::resume();
    }
}
