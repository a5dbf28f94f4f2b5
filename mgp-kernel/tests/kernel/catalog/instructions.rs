//! The instructions that hosts get: the servers behind the gateway, as far as the caller may see them.

use crate::{
    log,
    raw_host::{As, ERAS},
    raw_server::{RawServer, long, result},
    support::{START_LIMIT, Setup, agent_test, agents, full, server_rule, spec, start, until},
};
use mgp_client_sdk::client::Client;
use mgp_kernel::{Endpoint, Era, EraChoice, InProcess, Kernel, KernelBuilder, ServerSpec};
use mgp_toolindex::exposure::Exposure;
use mgp_transport::{connection::Config, memory};
use mgp_types::{
    access::{AccessDecision, AccessEntry, DefaultPolicy},
    context::Principal,
    lifecycle::ServerState,
    permission::{Permission, StandardPermission},
};
use serde_json::{Value, json};
use std::time::Duration;

/// A server that says this of itself.
pub(crate) fn saying(instructions: &'static str) -> RawServer {
    RawServer::new(Era::Initialize, json!({"tools": {}}), move |message| {
        (message["method"] == "initialize").then(|| {
            let greeting = json!({
                "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "s", "version": "1"}, "instructions": instructions,
            });
            vec![result(message, greeting)]
        })
    })
}

/// Three servers that `agent.may` may use, of which `agent.one` may use one.
async fn setup() -> Setup {
    let setup = start(|kernel, signals| {
        let mut shown = spec("test", signals);
        shown.default_policy = DefaultPolicy::OptIn;
        let mut other = saying("Work in the morning.").spec("worker");
        other.default_policy = DefaultPolicy::OptIn;
        // With this one, the agent that may use all has more tools than are listed at once.
        let mut third = long("long");
        third.default_policy = DefaultPolicy::OptIn;
        kernel.server(shown).server(other).server(third).config(agents(["agent.may", "agent.one"]))
    })
    .await;
    for server in ["test", "worker", "long"] {
        setup.kernel.access().put(server_rule("agent.may", server)).await.unwrap();
    }
    setup.kernel.access().put(server_rule("agent.one", "worker")).await.unwrap();
    setup
}

async fn told(setup: &Setup, agent: &str, era: Era) -> String {
    if era == Era::Stateless {
        let mut host = setup.raw_host(As::plain(era).of(agent)).await;
        let found = host.get("server/discover", json!({})).await;
        return found["instructions"].as_str().unwrap_or_default().to_owned();
    }
    told_by(&setup.kernel, agent).await
}

/// The instructions of the answer to `initialize`.
pub(crate) async fn told_by(kernel: &Kernel, agent: &str) -> String {
    let (here, there) = memory::pair();
    let served = kernel.face().serve(Principal::agent(agent), Config::default(), there.0, there.1);
    tokio::spawn(served.closed());
    let builder = Client::builder("host", "1").era(EraChoice::Known(Era::Initialize));
    let host = builder.connect(here.0, here.1).await.unwrap();
    host.greeting().instructions.clone().unwrap_or_default()
}

#[tokio::test]
async fn instructions_name_the_servers_and_the_search_for_their_tools() {
    let setup = setup().await;
    for era in ERAS {
        let all = told(&setup, "agent.may", era).await;
        assert!(
            all.contains("`test` (4 tools, and 1 that waits for an approval), `worker` (1 tool)"),
            "{all}"
        );
        assert!(all.contains("mgp_tools_discover") && all.contains("mgp_tools_call"), "{all}");
        let one = told(&setup, "agent.one", era).await;
        assert!(one.contains("`worker` (1 tool)") && !one.contains("test"), "{one}");
        let none = told(&setup, "agent.none", era).await;
        assert!(!none.contains("worker") && !none.contains("`test`"), "{none}");
    }
}

/// The instructions of servers in an answer.
fn of_servers(answer: &Value) -> Value {
    answer["_mgp"]["instructions"].clone()
}

#[tokio::test]
async fn a_server_s_instructions_accompany_its_first_found_tool() {
    let setup = setup().await;
    let expected = json!({"worker": "Work in the morning."});
    let mut host = setup.raw_host(As::plain(Era::Initialize).of("agent.may")).await;
    let query = json!({"query": "work"});
    let found = host.call("mgp_tools_discover", json!({"query": "add two numbers", "max_results": 1})).await;
    assert_eq!(of_servers(&found["structuredContent"]), Value::Null, "{found}");
    let found = host.call("mgp_tools_discover", query.clone()).await;
    assert_eq!(of_servers(&found["structuredContent"]), expected, "{found}");
    let again = host.call("mgp_tools_discover", query).await;
    assert_eq!(of_servers(&again["structuredContent"]), Value::Null, "{again}");
    let mut other = setup.raw_host(As::plain(Era::Initialize).of("agent.one")).await;
    let request = json!({"requirements": {"capabilities": ["work"]}});
    let loaded = other.call("mgp_tools_request", request).await;
    assert_eq!(of_servers(&loaded["structuredContent"]), expected, "{loaded}");
}

#[tokio::test]
async fn a_server_with_instructions_too_long_is_left_out_and_named() {
    let long: &'static str = Box::leak("Say please. ".repeat(2000).into_boxed_str());
    let setup = start(|kernel, _| kernel.server(saying(long).spec("worker"))).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    let found = host.call("mgp_tools_discover", json!({"query": "work"})).await;
    let notes = &found["structuredContent"]["_mgp"];
    assert_eq!(notes["instructions"], Value::Null, "{notes}");
    assert!(notes["hints"].to_string().contains("kernel.instructions_tokens"), "{notes}");
}

#[tokio::test]
async fn a_host_with_all_tools_reads_all_instructions() {
    let setup = start(|kernel, signals| {
        kernel.server(spec("test", signals)).server(saying("Work in the morning.").spec("worker")).config(
            |config| {
                config.kernel.exposure = Exposure::Full;
                config.kernel.instructions = Some("Ask Ann before you write.".into());
            },
        )
    })
    .await;
    let all = told(&setup, "agent.test", Era::Initialize).await;
    let id = setup.kernel.permissions().pending().await.unwrap()[0].request_id.clone();
    assert_eq!(
        all,
        format!(
            "Ask Ann before you write.\n\n\
             This host shows its user no questions of the gateway: a call that needs an approval waits up to 45s for \
             `mgp approve` in a terminal, and is then refused with the id to approve; make it again once it is approved.\n\n\
             Behind this gateway: `test` (4 tools, and 1 that waits for an approval), `worker` (1 tool). Their tools are all \
             in your list.\n\n\
             1 tool of `test` waits for the permission camera: `mgp approve {id}`.\n\n\
             `worker` says of itself: Work in the morning."
        )
    );
}

#[tokio::test]
async fn a_mute_host_reads_the_time_and_way_of_approvals() {
    let no_questions = "shows its user no questions";
    let setup = start(|kernel, signals| {
        kernel
            .server(spec("test", signals))
            .server(saying("Hi.").spec("worker"))
            .config(agents(["agent.one"]))
    })
    .await;
    let harmless = server_rule("agent.one", "worker");
    setup.kernel.access().put(harmless).await.unwrap();
    for era in ERAS {
        for (capabilities, is_told) in [(json!({"elicitation": {}}), false), (json!({}), true)] {
            let mut host = setup.raw_host(As::plain(era).can(capabilities.clone())).await;
            let told = match era {
                Era::Initialize => host.greeting["result"]["instructions"].take(),
                Era::Stateless => host.get("server/discover", json!({})).await["instructions"].take(),
            };
            let told = told.as_str().unwrap();
            assert_eq!(told.contains(no_questions), is_told, "{era:?} {capabilities}: {told}");
        }
    }
    // A host that answers callbacks is asked by them.
    let host = setup.raw_host(As::mgp(Era::Initialize).can(json!({}))).await;
    assert!(!host.greeting.to_string().contains(no_questions), "{}", host.greeting);
    // One who comes over the network decides nothing, whatever it shows.
    let remote = setup.raw_remote_host(As::plain(Era::Initialize)).await;
    assert!(remote.greeting.to_string().contains(no_questions), "{}", remote.greeting);
    // No call of these tools is asked about.
    let rule = AccessEntry { permission: Some(AccessDecision::Deny), ..server_rule("agent.one", "test") };
    setup.kernel.access().put(rule).await.unwrap();
    let told = told(&setup, "agent.one", Era::Initialize).await;
    assert!(told.contains("`worker`") && !told.contains(no_questions), "{told}");
}

#[tokio::test]
async fn closed_resources_are_named_with_the_rule_that_opens_them() {
    let (warnings, _guard) = log::keep();
    let server = RawServer::new(Era::Initialize, json!({"tools": {}, "resources": {}}), |message| {
        let listed = json!({"resources": [{"uri": "file:///a", "name": "a"}]});
        (message["method"] == "resources/list").then(|| vec![result(message, listed)])
    });
    let setup = start(|kernel, _| kernel.server(server.spec("docs"))).await;
    let expected = "Resources and prompts of `docs` need a rule for the whole server, which agent \"agent.test\" does not have: \
                    `mgp access grant agent.test docs`.";
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    assert!(host.greeting.to_string().contains("need a rule for the whole server"), "{}", host.greeting);
    assert!(told(&setup, "agent.test", Era::Initialize).await.contains(expected));
    for (method, params) in
        [("resources/read", json!({"uri": "file:///a"})), ("prompts/get", json!({"name": "a"}))]
    {
        let refused = host.refused(method, params).await;
        assert!(refused["message"].as_str().unwrap().ends_with(expected), "{refused}");
    }
    let said = warnings.take();
    assert!(said.iter().any(|warning| warning.message.contains("opt-out\" opens its tools")), "{said:?}");
    setup.kernel.access().put(server_rule("agent.test", "docs")).await.unwrap();
    assert!(!told(&setup, "agent.test", Era::Initialize).await.contains("need a rule"));
    assert!(host.get("resources/list", json!({})).await.to_string().contains("file:///a"));
}

#[tokio::test]
async fn a_host_with_all_tools_reads_how_to_open_the_closed_ones() {
    let setup = start(|kernel, signals| kernel.server(spec("test", signals)).config(full)).await;
    let camera = Permission::Standard(StandardPermission::Camera);
    let operator = Principal::operator("ann");
    setup.kernel.permissions().deny("test", &camera, &operator).await.unwrap();
    let all = told(&setup, "agent.test", Era::Initialize).await;
    assert!(
        all.ends_with("\n\n1 tool of `test` needs camera, which is denied: `mgp approve test camera`."),
        "{all}"
    );
}

#[tokio::test]
async fn instructions_of_servers_with_pinned_tools_are_sent_at_once() {
    let setup = start(|kernel, signals| {
        kernel
            .server(spec("test", signals))
            .server(saying("Work in the morning.").spec("worker"))
            .config(|config| config.kernel.pinned = ["work"].map(String::from).into())
    })
    .await;
    let all = told(&setup, "agent.test", Era::Stateless).await;
    assert!(all.ends_with("`worker` says of itself: Work in the morning."), "{all}");
}

#[tokio::test]
async fn the_server_list_is_bounded_and_the_operator_s_text_is_whole() {
    for (tokens, expected) in [
        (0, "Ask Ann."),
        (
            30,
            "Ask Ann.\n\nBehind this gateway: `s0` (1 tool), and 19 more. Their tools are all in your list.",
        ),
    ] {
        let setup = start(|kernel, _| {
            let servers = (0..20).map(|number| saying("Hi.").spec(&format!("s{number}")));
            let kernel = kernel.config(|config| {
                config.kernel.instructions = Some("Ask Ann.".into());
                config.kernel.instructions_tokens = tokens;
                config.kernel.exposure = Exposure::Full;
            });
            servers.fold(kernel, KernelBuilder::server)
        })
        .await;
        let told = told(&setup, "agent.test", Era::Initialize).await;
        assert_eq!(told, expected, "{tokens}");
    }
}

#[tokio::test]
async fn a_greeting_waits_for_starting_servers_and_names_late_ones() {
    let silent = || RawServer::new(Era::Initialize, json!({}), |_| Some(Vec::new())).spec("slow");
    for (server, wait, expected) in [
        (saying("Hi.").spec("quick"), START_LIMIT, "`quick` (1 tool)."),
        (silent(), Duration::ZERO, "`slow` (starting)."),
    ] {
        let kernel = Kernel::builder()
            .server(server)
            .config(agent_test)
            .program(|program| program.greeting_wait = wait)
            .start()
            .await
            .unwrap();
        let told = told_by(&kernel, "agent.test").await;
        assert!(told.contains(expected), "{told}");
    }
}

#[tokio::test]
async fn a_failed_server_is_not_reported_as_starting_while_retried() {
    let gone = Endpoint::InProcess(InProcess::new(|| memory::pair().0));
    let mut server = ServerSpec::new("gone", gone);
    server.default_policy = DefaultPolicy::OptOut;
    let kernel = Kernel::builder().server(server).config(agent_test).start().await.unwrap();
    until(|| kernel.servers()[0].status().state == ServerState::Restarting).await;
    let told = told_by(&kernel, "agent.test").await;
    assert!(told.contains("`gone` (not connected)."), "{told}");
}
