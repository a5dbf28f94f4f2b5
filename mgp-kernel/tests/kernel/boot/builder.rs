//! A kernel as a program puts it together.

use crate::support::{agents, code, json, ready, within};
use mgp_client_sdk::client::Client;
use mgp_discovery::config::Config;
use mgp_kernel::{
    AccessControl, AccessEntry, Call, ErrorObject, Kernel, MemorySink, Principal, Role, Routes, ServerSpec,
};
use mgp_security::access::{SqlAccessStore, SqlStore};
use mgp_server_sdk::{Server, ServerStack, Tool};
use mgp_types::{
    audit::AuditEventType,
    mcp::{CallTool, Ping},
    rpc::{Empty, JsonRpcCode},
};
use std::sync::Arc;

fn clock() -> ServerStack {
    let stack = Server::new("clock", "1.0.0")
        .tool(Tool::new("now", "Tells the time", || "noon"))
        .tool(Tool::new("alarm", "Sets an alarm", || "set"));
    stack.build().unwrap()
}

async fn host(kernel: &Kernel, principal: Principal) -> Client {
    ready(kernel).await;
    let (input, output) = kernel.face().in_process(principal);
    Client::builder("host", "1.0.0").connect(input, output).await.unwrap()
}

#[tokio::test]
async fn a_granted_tool_is_the_only_one_that_its_agent_may_call() {
    let rule = AccessEntry::allow("ann").server("clock").tool("now");
    let builder =
        Kernel::builder().grant(rule).config(agents(["ann"])).server(ServerSpec::new("clock", clock()));
    let kernel = builder.start().await.unwrap();
    let host = host(&kernel, Principal::agent("ann")).await;
    let answer = within(host.call_tool("now", json("{}"))).await.unwrap();
    assert_eq!(answer.content[0].as_text(), Some("noon"));
    let refused = within(host.call_tool("alarm", json("{}"))).await.unwrap_err();
    assert_eq!(code(&refused), 1001);
}

#[tokio::test]
async fn a_grant_is_recorded_and_keeps_an_operator_s_rule() {
    let rule = || AccessEntry::allow("ann").server("clock");
    let access = AccessControl::open(Arc::new(SqlAccessStore::in_memory())).await.unwrap();
    access.put(AccessEntry::deny("ann").server("clock").tool("now").granted_by("bob")).await.unwrap();
    for granted in [1, 0] {
        let events = MemorySink::new(100);
        let builder = Kernel::builder().access(access.clone()).audit_sink(events.clone());
        let builder = builder.grant(rule()).grant(rule().tool("now")).config(agents(["ann"]));
        let kernel = builder.server(ServerSpec::new("clock", clock())).start().await.unwrap();
        let host = host(&kernel, Principal::agent("ann")).await;
        let refused = within(host.call_tool("now", json("{}"))).await.unwrap_err();
        assert_eq!(code(&refused), 1001);
        assert!(within(host.call_tool("alarm", json("{}"))).await.is_ok());
        let grants =
            events.events().into_iter().filter(|event| event.event_type == AuditEventType::AccessGranted);
        assert_eq!(grants.count(), granted, "a rule that is in force is not stored again");
    }
}

/// A method of the program's own.
struct Greet;

impl Call for Greet {
    const METHOD: &'static str = "com.example/greet";
    type Params = Empty;
    type Result = String;
}

fn routes() -> Routes {
    Routes::new().typed(Greet, Role::Anyone, async |(), caller, _| match caller.id() {
        "bob" => Err(ErrorObject::invalid_params("not bob")),
        name => Ok(format!("hello {name}")),
    })
}

#[tokio::test]
async fn a_method_of_the_kernel_is_not_replaced() {
    let refused =
        |own: Routes| async { within(Kernel::builder().routes(own).start()).await.unwrap_err().to_string() };
    let ping =
        routes().route(Ping, Role::Anyone, async |(), _| Err(ErrorObject::internal("not a ping").into()));
    let error = refused(ping).await;
    assert!(error.starts_with("method \"ping\" of the program"), "{error}");
    let call =
        routes().route(CallTool, Role::Anyone, async |(), _| Err(ErrorObject::internal("none").into()));
    let error = refused(call).await;
    assert!(error.starts_with("method \"tools/call\" of the program"), "{error}");
}

#[tokio::test]
async fn grants_of_a_file_reach_servers_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let read = |grants: &str| {
        let path = folder.path().join("mgp.toml");
        std::fs::write(&path, format!("[[agents]]\nid = \"ann\"\n[access]\ngrants = [{grants}]")).unwrap();
        Config::read(&path).unwrap()
    };
    let config = read("{ agent = \"ann\", server = \"clock\", tool = \"now\" }");
    let builder = Kernel::builder().configure(&config).unwrap();
    let kernel = builder.server(ServerSpec::new("clock", clock())).start().await.unwrap();
    let host = host(&kernel, Principal::agent("ann")).await;
    assert!(within(host.call_tool("now", json("{}"))).await.is_ok());
    assert_eq!(code(&within(host.call_tool("alarm", json("{}"))).await.unwrap_err()), 1001);

    let changed = read("{ agent = \"ann\", server = \"clock\", tool = \"alarm\" }");
    within(kernel.reconfigure(&changed, &Principal::operator("bob"))).await.unwrap();
    assert!(within(host.call_tool("alarm", json("{}"))).await.is_ok());
    assert_eq!(code(&within(host.call_tool("now", json("{}"))).await.unwrap_err()), 1001);

    let wrong = read("{ agent = \"ann\", server = \"clok\" }");
    let builder = Kernel::builder().configure(&wrong).unwrap().server(ServerSpec::new("clock", clock()));
    let error = within(builder.start()).await.unwrap_err().to_string();
    assert!(error.starts_with("access.grants[0].server: no server \"clok\""), "{error}");
}

#[tokio::test]
async fn a_custom_method_is_answered_and_its_refusals_are_recorded() {
    let sink = MemorySink::new(10);
    let builder = Kernel::builder().routes(routes()).audit_sink(sink.clone());
    let kernel = builder.start().await.unwrap();
    let greet = async |name: &str| {
        let host = host(&kernel, Principal::agent(name)).await;
        within(host.ping()).await.unwrap();
        within(host.request::<Greet>(&Empty::default())).await
    };
    assert_eq!(greet("ann").await.unwrap(), "hello ann");
    assert_eq!(sink.events().len(), 0);
    assert_eq!(code(&greet("bob").await.unwrap_err()), i64::from(JsonRpcCode::InvalidParams));
    let events = sink.events();
    assert_eq!((events.len(), events[0].event_type.as_str()), (1, "dev.cloto.mgp.REQUEST_BLOCKED"));
    assert_eq!(events[0].details.as_ref().unwrap().text("method").as_deref(), Some(Greet::METHOD));
}
