//! Kernels in which servers may be registered, which are reached within this process.

use crate::{
    raw_host::{As, RawHost},
    support::{START_LIMIT_MS, Setup, Signals, agent_test, server, spec, start, until},
};
use mgp_discovery::registration::RegistrationStore;
use mgp_kernel::{Endpoint, Era, InProcess, Kernel, KernelBuilder, Stores};
use mgp_security::audit::MemorySink;
use mgp_server_sdk::{Server, Tool};
use mgp_toolindex::exposure::Exposure;
use mgp_types::{audit::AuditEvent, context::Principal, lifecycle::ServerState};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::Notify;

pub(crate) const BUILDER: &str = "agent.builder";

/// Starts a kernel with the server `test`, in which `agent.builder` may register more servers.
pub(crate) async fn open() -> Setup {
    start(|builder, signals| with_registrar(builder, signals).server(spec("test", signals))).await
}

pub(crate) fn with_registrar(builder: KernelBuilder, signals: &Signals) -> KernelBuilder {
    reached(builder, signals).config(|config| config.access.registrars = [BUILDER].map(String::from).into())
}

/// Makes every registered server the test server, whatever address is registered.
pub(crate) fn reached(builder: KernelBuilder, signals: &Signals) -> KernelBuilder {
    // Each registered server is a separate one, which stops when it is told to.
    let signals = signals.clone();
    let builder = builder.config(|config| {
        config.kernel.exposure = Exposure::Full;
        config.kernel.start_wait_ms = START_LIMIT_MS;
    });
    builder.reach_registered(move |_| Ok(server(&signals)))
}

/// Starts a kernel without servers of its own, on a store that other kernels share.
pub(crate) async fn on(store: impl RegistrationStore) -> Setup {
    let (sink, signals) = (MemorySink::new(1000), Signals::default());
    let builder = with_registrar(Kernel::builder(), &signals).audit_sink(sink.clone());
    let stores = Stores { registrations: Arc::new(store), ..Stores::default() };
    let kernel = builder.stores(stores).config(agent_test).start().await.unwrap();
    Setup { kernel, sink, signals }
}

/// Connects a host of an agent that may register servers.
pub(crate) async fn builder(setup: &Setup) -> RawHost {
    setup.raw_host(As::mgp(Era::Initialize).of(BUILDER)).await
}

/// Connects a host of an operator.
pub(crate) async fn operator(setup: &Setup) -> RawHost {
    let this = As { principal: Principal::operator("ann"), ..As::mgp(Era::Initialize) };
    setup.raw_host(this).await
}

pub(crate) fn stdio(id: &str) -> Value {
    json!({"id": id, "transport": "stdio", "command": "x"})
}

pub(crate) async fn register(host: &mut RawHost, id: &str) -> Value {
    host.get("mgp/discovery/register", stdio(id)).await
}

pub(crate) async fn deregister(host: &mut RawHost, id: &str) -> Value {
    host.get("mgp/discovery/deregister", json!({"id": id, "reason": "no_longer_needed"})).await
}

impl Setup {
    /// Returns the events of registrations, as `TYPE RESULT actor server`.
    pub(crate) fn registrations(&self) -> Vec<String> {
        let line = |event: &AuditEvent| {
            let name = event.event_type.as_str().strip_prefix("dev.cloto.mgp.")?.to_owned();
            if !name.starts_with("SERVER_") {
                return None;
            }
            let server = event.target.get().and_then(|target| target.server_id.get().cloned());
            Some(format!("{name} {} {} {}", event.result, event.actor.id, server.unwrap_or_default()))
        };
        self.sink.events().iter().filter_map(line).collect()
    }

    /// Returns the ids of the servers that the registry knows.
    pub(crate) fn known(&self) -> Vec<String> {
        self.kernel.registry().iter().map(|server| server.id.to_string()).collect()
    }

    /// Waits until these servers are known, and all of them are up.
    pub(crate) async fn knows(&self, ids: &[&str]) {
        let up = || {
            let known = self.kernel.registry();
            known.iter().map(|server| &*server.id).eq(ids.iter().copied())
                && known.iter().all(|server| server.state == ServerState::Connected)
        };
        until(up).await;
    }
}

/// Returns a server whose one tool ends when it is told to, with the signals between tool and test.
pub(crate) fn waiting() -> (Endpoint, Arc<Notify>, Arc<Notify>) {
    let (started, release) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (ring, wait) = (started.clone(), release.clone());
    let endpoint = InProcess::new(move || {
        let (ring, wait) = (ring.clone(), wait.clone());
        let tool = Tool::new("wait", "Waits until it is told to end", move || {
            let (ring, wait) = (ring.clone(), wait.clone());
            async move {
                ring.notify_one();
                wait.notified().await;
                "done"
            }
        });
        Server::new("waits", "1.0.0").tool(tool).build().unwrap().in_process()
    });
    (Endpoint::InProcess(endpoint), started, release)
}

/// Returns the names of the tools that a host is shown, without the kernel's own.
pub(crate) async fn shown(host: &mut RawHost) -> Vec<String> {
    let list = host.get("tools/list", json!({})).await;
    let names =
        list["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned());
    names.filter(|name| !name.starts_with("mgp_")).collect()
}
