//! A running kernel that takes over another configuration.

use crate::{
    raw_host::As,
    shell_server::ShellServer,
    support::{Setup, full, idle, server_rule, spec, start, until, within},
};
use mgp_discovery::config::{AgentConfig, Config, TargetLimit};
use mgp_kernel::{Era, ReloadError, RoleRule, Stores};
use mgp_types::{
    access::DefaultPolicy,
    context::Principal,
    lifecycle::{
        ConfigurationChange, ControlServer, ControlServerParams, ControlServerResult, ServerAction,
        ServerState,
    },
    negotiation::ExtensionSet,
};
use serde_json::json;
use std::{num::NonZeroU32, sync::Arc};

fn config(text: &str) -> Config {
    Config::parse("mgp.toml".as_ref(), text.as_bytes(), &|_| None).unwrap()
}

async fn reload(setup: &Setup, config: &Config) -> Result<ConfigurationChange, ReloadError> {
    within(setup.kernel.reconfigure(config, &Principal::operator("ann"))).await
}

#[tokio::test]
async fn servers_of_the_program_survive_a_reload() {
    let before = config(
        "[roles.counts]\ngrants = [{ server = \"*\", tool = \"count\" }]\n[[agents]]\nid = \"agent.test\"\nroles = [\"counts\"]",
    );
    let setup = start(|kernel, signals| {
        let mut closed = spec("test", signals);
        closed.default_policy = DefaultPolicy::OptIn;
        kernel.configure(&before).unwrap().server(closed)
    })
    .await;
    let access = setup.kernel.access();
    let allows = |tool| access.query("agent.test", "test", Some(tool)).allows();
    assert_eq!((allows("count"), allows("add"), allows("secret")), (true, false, false));
    let mut after = config("[roles.counts]\ngrants = [{ server = \"*\", tool = \"add\" }]");
    // A change that the program makes is made to each configuration.
    let rules = [RoleRule::allow("test").tool("secret")];
    after.roles.insert("secrets".into(), rules.into_iter().collect());
    after.agents =
        vec![AgentConfig { id: "agent.test".into(), roles: vec!["secrets".into(), "counts".into()] }];
    reload(&setup, &after).await.unwrap();
    assert_eq!((allows("count"), allows("add"), allows("secret")), (false, true, true));
    let taken = config("[[servers]]\nid = \"test\"\ncommand = \"true\"");
    let error = reload(&setup, &taken).await.unwrap_err();
    assert!(matches!(&error, ReloadError::OfProgram(id) if id == "test"), "{error}");
}

#[tokio::test]
async fn a_kernel_without_a_file_applies_a_checked_configuration() {
    let setup = start(|kernel, signals| kernel.server(spec("test", signals))).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let mut limited = config("");
    let one = TargetLimit { requests_per_minute: NonZeroU32::new(1), ..TargetLimit::default() };
    limited.limits.servers.insert("tset".into(), one.clone());
    let error = reload(&setup, &limited).await.unwrap_err().to_string();
    assert!(error.starts_with("limits.servers.tset: no server \"tset\""), "{error}");
    limited.limits.servers = [("test".into(), one)].into();
    reload(&setup, &limited).await.unwrap();
    let add = json!({"name": "add", "arguments": {"a": 1, "b": 1}});
    host.get("tools/call", add.clone()).await;
    assert_eq!(host.refused("tools/call", add).await["code"], 3000);
}

/// Starts a kernel with a configuration, and the listings of a folder.
async fn configured(folder: &std::path::Path, config: &Config) -> Setup {
    let listings = crate::engine::state(folder).await.listings().unwrap();
    let stores = Stores { listings: Some(Arc::new(listings)), ..Stores::default() };
    let setup = start(|kernel, _| kernel.stores(stores).configure(config).unwrap().config(full)).await;
    setup.kernel.access().put(server_rule("agent.test", "shell")).await.unwrap();
    setup
}

#[tokio::test]
async fn subscriptions_move_to_the_server_that_replaces_theirs() {
    for lazy in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let (server, next) =
            (ShellServer::new(folder.path(), "before"), ShellServer::new(folder.path(), "after"));
        let keys = format!("lazy = {lazy}\nshutdown_timeout_ms = 500");
        let setup = configured(folder.path(), &server.configuration(&keys)).await;
        let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
        let uri = json!({"uri": "file:///a"});
        assert_eq!(host.get("resources/subscribe", uri.clone()).await, json!({}));
        server.has_read("resources/subscribe", 1).await;
        // One whose lists stay known, and one that would be started only to list its tools.
        reload(&setup, &server.configuration(&format!("{keys}\ncall_timeout_ms = 7000"))).await.unwrap();
        server.has_read("resources/subscribe", 2).await;
        reload(&setup, &next.configuration(&keys)).await.unwrap();
        next.has_read("resources/subscribe", 1).await;
        host.get("resources/unsubscribe", uri).await;
        next.has_read("resources/unsubscribe", 1).await;
        assert_eq!((next.count("initialize"), next.count("resources/subscribe")), (1, 1), "lazy: {lazy}");
        setup.kernel.shutdown().await;
    }
}

#[tokio::test]
async fn a_call_queued_at_a_replaced_server_may_be_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let server = ShellServer::new(folder.path(), "log");
    // The call that runs has a minute to end.
    let keys = "max_concurrent = 1\nshutdown_timeout_ms = 60000";
    let setup = configured(folder.path(), &server.configuration(keys)).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let work = json!({"name": "work", "arguments": {}});
    let runs = host.send("tools/call", work.clone()).await;
    server.has_read("tools/call", 1).await;
    let waits = host.send("tools/call", work.clone()).await;
    let of = setup.kernel.servers()[0].clone();
    until(|| of.queued() > 0).await;
    reload(&setup, &server.configuration(&format!("{keys}\ncall_timeout_ms = 70000"))).await.unwrap();
    within(of.watch_status().wait_for(|status| status.state == ServerState::Draining)).await.unwrap();
    server.end_calls();
    assert!(host.answer_to(runs).await.get("result").is_some());
    let refused = host.answer_to(waits).await["error"].clone();
    let told = refused["message"].as_str().unwrap();
    assert!(told.contains("because its settings have changed"), "{refused}");
    assert_eq!(refused["data"]["_mgp"]["retryable"], true, "{refused}");
    let now = setup.kernel.servers()[0].clone();
    within(now.watch_status().wait_for(|status| status.state == ServerState::Connected)).await.unwrap();
    assert_eq!(host.text("work", json!({})).await, "done");
}

#[tokio::test]
async fn a_server_with_an_unset_variable_starts_with_a_fixed_reload() {
    let folder = tempfile::tempdir().unwrap();
    let server = ShellServer::new(folder.path(), "log");
    let mended = server.configuration("");
    let fault = "the environment variable TOKEN is not set";
    let mut faulty = mended.clone();
    faulty.servers[0].fault = Some(fault.to_owned());
    let setup = configured(folder.path(), &mended).await;
    assert_eq!(reload(&setup, &faulty).await.unwrap().restarted, ["shell"]);
    let off = setup.kernel.servers()[0].clone();
    within(off.watch_status().wait_for(|status| status.state == ServerState::Error)).await.unwrap();
    assert_eq!(&*off.status().reason, fault);
    assert_eq!(reload(&setup, &mended).await.unwrap().restarted, ["shell"]);
    let again = setup.kernel.servers()[0].clone();
    within(again.watch_status().wait_for(|status| status.state == ServerState::Connected)).await.unwrap();
    assert_eq!(server.count("initialize"), 2);
}

fn command(action: ServerAction) -> ControlServerParams {
    ControlServerParams { server_id: "shell".into(), action, timeout_ms: None, reason: None }
}

/// Commands a server whose call runs, and replaces it meanwhile. Returns the answer to the command, and the server after it.
async fn commanded_and_replaced(
    folder: &std::path::Path,
    action: ServerAction,
) -> (ControlServerResult, Setup, ShellServer) {
    let (server, next) = (ShellServer::new(folder, "before"), ShellServer::new(folder, "after"));
    // The call that runs has a minute to end.
    let keys = "shutdown_timeout_ms = 60000";
    let setup = configured(folder, &server.configuration(keys)).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let call = host.send("tools/call", json!({"name": "work", "arguments": {}})).await;
    server.has_read("tools/call", 1).await;
    let operator = setup.host_that(ExtensionSet::ALL, Principal::operator("ann")).await;
    let params = command(action);
    let of = setup.kernel.servers()[0].clone();
    let ((commanded, state), ()) = within(async {
        let command = async { (operator.request::<ControlServer>(&params).await, of.status().state) };
        tokio::join!(command, async {
            of.watch_status().wait_for(|status| status.state == ServerState::Draining).await.unwrap();
            reload(&setup, &next.configuration(keys)).await.unwrap();
            server.end_calls();
        })
    })
    .await;
    assert!(host.answer_to(call).await.get("result").is_some());
    assert_eq!(state, ServerState::Disconnected, "the command is not done before its server has ended");
    (commanded.unwrap(), setup, next)
}

#[tokio::test]
async fn a_server_that_is_stopped_while_it_is_replaced_stays_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let (told, setup, next) = commanded_and_replaced(folder.path(), ServerAction::Drain).await;
    assert!(told.done, "{told:?}");
    idle().await;
    let state = setup.kernel.servers()[0].status().state;
    assert!(![ServerState::Connecting, ServerState::Connected].contains(&state), "{state:?}");
    let refused =
        setup.raw_host(As::mgp(Era::Initialize)).await.once("tools/call", json!({"name": "work"})).await;
    assert_eq!(
        (&refused["error"]["code"], &refused["error"]["data"]["_mgp"]["retryable"]),
        (&json!(2000), &json!(false))
    );
    // The only process is the one that an operator starts.
    let operator = setup.host_that(ExtensionSet::ALL, Principal::operator("ann")).await;
    let started = within(operator.request::<ControlServer>(&command(ServerAction::Start))).await.unwrap();
    assert_eq!(started.state, ServerState::Connected);
    assert!(![ServerState::Connecting, ServerState::Connected].contains(&started.previous_state));
    assert_eq!(next.count("initialize"), 1);
    setup.kernel.shutdown().await;
}

#[tokio::test]
async fn a_restart_during_a_replacement_happens_once_the_server_runs() {
    let folder = tempfile::tempdir().unwrap();
    let (told, setup, next) = commanded_and_replaced(folder.path(), ServerAction::Restart).await;
    assert_eq!(
        (told.done, told.state, next.count("initialize")),
        (true, ServerState::Connected, 1),
        "{told:?}"
    );
    setup.kernel.shutdown().await;
}

/// A server that says whether a call brought its session's state, and gives one.
const STATEFUL: &str = r#"
while IFS= read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  case $line in
    *'"method":"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"method":"tools/list"'*) result='{"tools":[{"name":"work","description":"Works","inputSchema":{"type":"object"}}]}' ;;
    *'"method":"tools/call"'*)
      case $line in *'"session_state":"kept"'*) text=yes ;; *) text=no ;; esac
      result='{"content":[{"type":"text","text":"'$text'"}],"_meta":{"session_state":"kept"}}' ;;
    *'"id":'*) result='{}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

#[tokio::test]
async fn a_server_with_another_command_gets_no_earlier_data() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("stateful.sh");
    std::fs::write(&script, STATEFUL).unwrap();
    let configuration = |keys: &str, argument: &str| {
        config(&format!(
            "[[servers]]\nid = \"shell\"\ncommand = \"sh\"\nargs = [{:?}, {argument:?}]\n{keys}\n\
             [servers.mgp]\nera = \"initialize\"\nconfirmation = \"never\"",
            script.to_str().unwrap()
        ))
    };
    let setup = configured(folder.path(), &configuration("", "before")).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    assert_eq!(host.text("work", json!({})).await, "no");
    assert_eq!(host.text("work", json!({})).await, "yes");
    reload(&setup, &configuration("env = { OTHER = \"1\" }", "before")).await.unwrap();
    assert_eq!(host.text("work", json!({})).await, "yes", "the command is the same");
    reload(&setup, &configuration("", "after")).await.unwrap();
    assert_eq!(host.text("work", json!({})).await, "no");
    setup.kernel.shutdown().await;
}
