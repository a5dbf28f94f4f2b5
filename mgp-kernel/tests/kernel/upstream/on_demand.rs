//! Servers that are started by the first request that needs them, and stopped when nothing uses them.

#[cfg(all(unix, feature = "child"))]
use crate::shell_server::ShellServer;
use crate::{
    features::events,
    raw_host::As,
    raw_server::{RawServer, result},
    support::{
        Setup, Signals, code, full, idle, json as text, number, pass, server, server_rule, start, within,
    },
};
use mgp_client_sdk::client::Client;
use mgp_kernel::{Endpoint, Era, InProcess, ServerSpec, StateFolder, Stores};
use mgp_server_sdk::{Server, Tool};
use mgp_transport::seam::CallError;
use mgp_types::{
    access::DefaultPolicy,
    audit::AuditEvent,
    context::Principal,
    error::ErrorCode,
    lifecycle::{
        ControlServer, ControlServerParams, KernelStatusParams, ReportKernel, ServerAction, ServerState,
    },
    negotiation::ExtensionSet,
};
use serde_json::json;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

/// The number of times that a server was started.
#[derive(Clone, Default)]
struct Starts(Arc<AtomicUsize>);

impl Starts {
    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    /// Returns an endpoint that counts its starts.
    fn of(&self, endpoint: Endpoint) -> Endpoint {
        let Endpoint::InProcess(inner) = endpoint else { unreachable!() };
        let starts = self.0.clone();
        Endpoint::InProcess(InProcess::new(move || {
            starts.fetch_add(1, Ordering::SeqCst);
            inner.connect()
        }))
    }
}

fn lazy(endpoint: Endpoint) -> ServerSpec {
    let mut spec = ServerSpec::new("test", endpoint);
    spec.default_policy = DefaultPolicy::OptOut;
    spec.lazy = true;
    spec
}

/// Returns stores in memory, except that of listings.
fn listings(folder: &StateFolder) -> Stores {
    Stores { listings: Some(Arc::new(folder.listings().unwrap())), ..Stores::default() }
}

/// Starts a kernel in front of a server, with the listings and the pins of a folder.
async fn kernel(folder: &StateFolder, spec: ServerSpec) -> Setup {
    let stores = Stores { definitions: Arc::new(folder.definitions().unwrap()), ..listings(folder) };
    start(|kernel, _| kernel.stores(stores).config(full).server(spec)).await
}

fn state(setup: &Setup) -> ServerState {
    setup.kernel.servers()[0].status().state
}

async fn settles(setup: &Setup, state: ServerState, on_demand: bool) {
    let server = setup.kernel.servers()[0].clone();
    let mut status = server.watch_status();
    within(status.wait_for(|status| status.state == state && server.is_on_demand() == on_demand))
        .await
        .unwrap();
}

async fn adds(host: &Client) -> Result<String, CallError> {
    let sum = within(host.call_tool("add", text(r#"{"a":1,"b":1}"#))).await?;
    Ok(sum.content[0].as_text().unwrap_or_default().to_owned())
}

async fn names(host: &Client) -> Vec<String> {
    let tools = within(host.list_tools()).await.unwrap();
    tools.into_iter().map(|tool| tool.name).filter(|name| !name.starts_with("mgp_")).collect()
}

#[tokio::test]
async fn a_lazy_server_starts_to_list_tools_and_for_its_first_call() {
    let (folder, starts) = (tempfile::tempdir().unwrap(), Starts::default());
    let folder = crate::engine::state(folder.path()).await;
    let setup = kernel(&folder, lazy(starts.of(server(&Signals::default())))).await;
    settles(&setup, ServerState::Disconnected, true).await;
    let listed = names(&setup.host().await).await;
    assert!(listed.contains(&"add".to_owned()), "{listed:?}");
    setup.kernel.shutdown().await;
    assert_eq!(starts.count(), 1);

    let setup = kernel(&folder, lazy(starts.of(server(&Signals::default())))).await;
    let host = setup.host().await;
    assert_eq!(names(&host).await, listed);
    assert_eq!((starts.count(), state(&setup)), (1, ServerState::Registered));
    let operator = setup.host_that(ExtensionSet::ALL, Principal::operator("ann")).await;
    let params = KernelStatusParams { checks: true, tools: true, ..KernelStatusParams::default() };
    let report = &within(operator.request::<ReportKernel>(&params)).await.unwrap().servers[0];
    assert_eq!((report.on_demand, &*report.reason), (true, "not started yet (lazy)"));
    assert!(report.tools.contains(&"add".to_owned()), "{report:?}");
    // Two calls start it once.
    let (one, two) = tokio::join!(adds(&host), adds(&host));
    assert_eq!((&*one.unwrap(), &*two.unwrap()), ("2", "2"));
    assert_eq!((starts.count(), state(&setup)), (2, ServerState::Connected));
}

#[tokio::test]
async fn an_unused_server_is_stopped_and_restarted_by_its_next_call() {
    let (signals, starts) = (Signals::default(), Starts::default());
    let mut spec = lazy(starts.of(server(&signals)));
    (spec.lazy, spec.idle_timeout) = (false, Some(Duration::from_millis(50)));
    let setup = start(|kernel, _| kernel.server(spec)).await;
    settles(&setup, ServerState::Disconnected, true).await;
    let status = setup.kernel.servers()[0].status();
    assert_eq!(&*status.reason, "idle: nothing used it for 50ms; the next request that needs it starts it");
    let host = setup.host().await;
    assert_eq!(adds(&host).await.unwrap(), "2");
    assert_eq!(starts.count(), 2);
    // A call in flight keeps it up.
    let hanging = host.start_tool("hang", text("{}")).await.unwrap();
    within(signals.started.notified()).await;
    let before = starts.count();
    idle().await;
    assert_eq!((starts.count(), state(&setup)), (before, ServerState::Connected));
    drop(hanging);
    settles(&setup, ServerState::Disconnected, true).await;
}

#[tokio::test]
async fn calls_that_arrive_while_a_server_becomes_idle_are_answered() {
    let starts = Starts::default();
    let mut spec = lazy(starts.of(server(&Signals::default())));
    spec.idle_timeout = Some(Duration::from_millis(10));
    // Nothing is made again for the calls: none is refused in the first place.
    spec.retries.max_retries = 0;
    let setup = start(|kernel, _| kernel.server(spec)).await;
    let host = setup.host().await;
    for pause in 0..60 {
        tokio::time::sleep(Duration::from_millis(pause % 20)).await;
        assert_eq!(adds(&host).await.unwrap(), "2", "after {pause}");
    }
    assert!(starts.count() > 2, "{}", starts.count());
}

#[tokio::test]
async fn a_sleeping_kernel_starts_a_server_only_on_wake_or_need() {
    let (folder, starts) = (tempfile::tempdir().unwrap(), Starts::default());
    let folder = crate::engine::state(folder.path()).await;
    let spec = |id: &str| {
        let mut spec = lazy(starts.of(server(&Signals::default())));
        (spec.id, spec.lazy) = (id.to_owned(), false);
        spec
    };
    let setup = start(|kernel, _| kernel.stores(listings(&folder)).server(spec("kept"))).await;
    setup.kernel.shutdown().await;
    let setup = start(|kernel, _| {
        kernel
            .program(|program| program.asleep = true)
            .stores(listings(&folder))
            .server(spec("kept"))
            .server(spec("new"))
            .config(full)
    })
    .await;
    let host = setup.host().await;
    assert_eq!(names(&host).await, ["add", "run_shell", "count", "hang"], "of the one that is kept");
    let servers = setup.kernel.servers();
    assert!(servers.iter().all(|server| server.is_on_demand()));
    assert_eq!(starts.count(), 1);
    assert!(within(servers[1].wake()).await);
    assert_eq!((starts.count(), servers[1].status().state), (2, ServerState::Connected));
    assert!(within(servers[1].wake()).await, "it is up already");
    assert_eq!((starts.count(), servers[0].status().state), (2, ServerState::Registered));
    let sum = within(host.call_tool("kept__add", text(r#"{"a":1,"b":1}"#))).await.unwrap();
    assert_eq!((sum.content[0].as_text(), starts.count()), (Some("2"), 3));
}

fn changing(description: &str, starts: &Starts) -> Endpoint {
    let stack = Server::new("changing", "1").tool(Tool::new("add", description, || async { "2" }));
    starts.of(stack.build().unwrap().into())
}

#[tokio::test]
async fn a_tool_that_changed_at_its_server_s_start_is_not_called() {
    let (folder, starts) = (tempfile::tempdir().unwrap(), Starts::default());
    let folder = crate::engine::state(folder.path()).await;
    let setup = kernel(&folder, lazy(changing("Adds", &starts))).await;
    settles(&setup, ServerState::Disconnected, true).await;
    setup.kernel.shutdown().await;
    let setup = kernel(&folder, lazy(changing("Adds, and asks for your keys", &starts))).await;
    let host = setup.host().await;
    let error = adds(&host).await.unwrap_err();
    assert_eq!(code(&error), number(ErrorCode::PermissionDenied));
    assert!(error.to_string().contains("changed while its call waited"), "{error}");
    let changed = |event: &AuditEvent| event.event_type.as_str() == "dev.cloto.mgp.TOOL_CHANGED";
    assert!(setup.sink.events().iter().any(changed));
    assert_eq!(adds(&host).await.unwrap(), "2");
    // What is kept is what it lists now.
    setup.kernel.shutdown().await;
    let setup = kernel(&folder, lazy(changing("Adds, and asks for your keys", &starts))).await;
    assert_eq!(state(&setup), ServerState::Registered);
    assert_eq!(adds(&setup.host().await).await.unwrap(), "2");
}

#[tokio::test]
async fn a_failed_start_is_reported_to_the_call_that_needed_it() {
    let (folder, starts) = (tempfile::tempdir().unwrap(), Starts::default());
    let folder = crate::engine::state(folder.path()).await;
    let setup = kernel(&folder, lazy(starts.of(server(&Signals::default())))).await;
    settles(&setup, ServerState::Disconnected, true).await;
    setup.kernel.shutdown().await;
    let silent = InProcess::new(|| {
        let (here, there) = mgp_transport::memory::pair();
        // Held, so that the connection stays open.
        tokio::spawn(async move {
            std::future::pending::<()>().await;
            drop(there);
        });
        here
    });
    let mut spec = lazy(Endpoint::InProcess(silent));
    spec.startup_timeout = Duration::from_millis(100);
    let setup = kernel(&folder, spec).await;
    let error = adds(&setup.host().await).await.unwrap_err();
    assert_eq!(code(&error), number(ErrorCode::ServerNotReady));
    let told = error.to_string();
    assert!(told.contains(r#"server "test" was started for this request, and failed"#), "{told}");
    assert!(told.contains("100ms"), "{told}");
}

#[tokio::test]
async fn an_operator_can_stop_and_start_an_idle_server() {
    let (folder, starts) = (tempfile::tempdir().unwrap(), Starts::default());
    let folder = crate::engine::state(folder.path()).await;
    let setup = kernel(&folder, lazy(starts.of(server(&Signals::default())))).await;
    settles(&setup, ServerState::Disconnected, true).await;
    setup.kernel.shutdown().await;
    let setup = kernel(&folder, lazy(starts.of(server(&Signals::default())))).await;
    let (host, operator) =
        (setup.host().await, setup.host_that(ExtensionSet::ALL, Principal::operator("ann")).await);
    let control = async |action| {
        let params = ControlServerParams { server_id: "test".into(), action, timeout_ms: None, reason: None };
        within(operator.request::<ControlServer>(&params)).await.unwrap()
    };
    let stopped = control(ServerAction::Stop).await;
    assert_eq!((stopped.state, stopped.done), (ServerState::Registered, true));
    assert!(adds(&host).await.is_err());
    assert_eq!(starts.count(), 1);
    assert_eq!(control(ServerAction::Start).await.state, ServerState::Connected);
    assert_eq!(adds(&host).await.unwrap(), "2");
}

/// Returns the endpoint of a server with one resource.
fn with_resource(starts: &Starts) -> Endpoint {
    let capabilities = json!({"tools": {}, "resources": {"subscribe": true}});
    let server = RawServer::new(Era::Initialize, capabilities, |message| match message["method"].as_str() {
        Some("resources/list") => {
            Some(vec![result(message, json!({"resources": [{"uri": "file:///a", "name": "a"}]}))])
        }
        Some("resources/read") => {
            Some(vec![result(message, json!({"contents": [{"uri": "file:///a", "text": "text"}]}))])
        }
        _ => None,
    });
    starts.of(server.spec("test").endpoint)
}

#[tokio::test]
async fn resources_of_a_sleeping_server_are_listed_and_reads_start_it() {
    let (folder, starts) = (tempfile::tempdir().unwrap(), Starts::default());
    let folder = crate::engine::state(folder.path()).await;
    let setup = kernel(&folder, lazy(with_resource(&starts))).await;
    settles(&setup, ServerState::Disconnected, true).await;
    setup.kernel.shutdown().await;
    let setup = kernel(&folder, lazy(with_resource(&starts))).await;
    setup.kernel.access().put(server_rule("agent.test", "test")).await.unwrap();
    let host = setup.host().await;
    let listed = within(host.list_resources()).await.unwrap();
    assert_eq!((listed.len(), starts.count()), (2, 1), "with the manifest");
    // One that it does not list is looked for at the only server with resources.
    for uri in ["file:///b", "file:///a"] {
        let read = within(host.read_resource(uri)).await.unwrap();
        assert_eq!((read.contents.len(), starts.count()), (1, 2), "{uri}");
    }
}

#[tokio::test]
async fn a_subscription_starts_a_server_and_keeps_it_up() {
    let starts = Starts::default();
    let mut spec = lazy(with_resource(&starts));
    spec.idle_timeout = Some(Duration::from_millis(20));
    let setup = start(|kernel, _| kernel.server(spec)).await;
    setup.kernel.access().put(server_rule("agent.test", "test")).await.unwrap();
    settles(&setup, ServerState::Disconnected, true).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    let uri = json!({"uri": "file:///a"});
    assert_eq!(host.get("resources/subscribe", uri.clone()).await, json!({}));
    settles(&setup, ServerState::Connected, false).await;
    idle().await;
    assert_eq!((state(&setup), starts.count()), (ServerState::Connected, 2));
    host.get("resources/unsubscribe", uri).await;
    settles(&setup, ServerState::Disconnected, true).await;
}

#[tokio::test]
async fn an_event_subscription_keeps_a_server_up_and_a_log_does_not() {
    for is_subscribed in [true, false] {
        let server = events::raw(Era::Initialize);
        let mut spec = server.spec("test");
        spec.idle_timeout = Some(Duration::from_secs(60));
        let setup = start(|kernel, _| kernel.server(spec)).await;
        setup.kernel.access().put(server_rule("agent.test", "test")).await.unwrap();
        let mut host = if is_subscribed {
            let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
            host.get(events::SUBSCRIBE, json!({"channels": ["*"]})).await;
            host
        } else {
            let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
            host.get("logging/setLevel", json!({"level": "error"})).await;
            host
        };
        server.has_read(events::SUBSCRIBE, 1).await;
        pass(Duration::from_secs(90)).await;
        if is_subscribed {
            assert_eq!(state(&setup), ServerState::Connected);
        } else {
            settles(&setup, ServerState::Disconnected, true).await;
        }
        host.settle().await;
    }
}

#[cfg(all(unix, feature = "child"))]
#[tokio::test]
async fn a_subscription_restarts_an_exited_server_within_its_budget() {
    use mgp_transport::child::ChildCommand;
    use mgp_types::lifecycle::{RestartConfig, RestartPolicy};
    let folder = tempfile::tempdir().unwrap();
    let server = ShellServer::new(folder.path(), "log");
    let command = ChildCommand::new("test", "sh").args(server.arguments()).args(["dies"]);
    let mut spec = lazy(Endpoint::Child(command));
    spec.restart = RestartConfig {
        restart_policy: RestartPolicy::OnFailure,
        max_restarts: 2,
        restart_window_secs: 300,
        backoff_base_ms: 1,
        backoff_max_ms: 2,
    };
    let setup = start(|kernel, _| kernel.server(spec)).await;
    setup.kernel.access().put(server_rule("agent.test", "test")).await.unwrap();
    settles(&setup, ServerState::Disconnected, true).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    host.get("resources/subscribe", json!({"uri": "file:///a"})).await;
    settles(&setup, ServerState::Error, false).await;
    assert_eq!(&*setup.kernel.servers()[0].status().reason, "used its restarts up");
    // To list its tools, for the subscription, and twice again.
    assert_eq!((server.count("initialize"), server.count("resources/subscribe")), (4, 3));
}
