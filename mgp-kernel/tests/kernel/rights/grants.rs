//! An agent without a grant for a server sees no resources and no prompts of the server.

use crate::{
    features::eras::{events, everything, spec},
    raw_host::{As, ERAS, RawHost},
    raw_server::{says, watched},
    support::{Setup, agents, rule, server_rule, start},
};
use mgp_kernel::Era;
use mgp_security::access::AccessKey;
use mgp_types::{access::AccessDecision, rpc::Notice};
use serde_json::{Value, json};

/// Connects a host without a grant for the server `all`, whose tools everybody may call, and a host with one.
async fn two_hosts(host_era: Era, server_era: Era) -> (Setup, RawHost, RawHost) {
    let mut server = spec("all", server_era, &everything());
    server.default_policy = mgp_types::access::DefaultPolicy::OptOut;
    let setup = start(|kernel, _| kernel.server(server).config(agents(["agent.other"]))).await;
    // A grant for one of its tools is not a grant for the server.
    setup.kernel.access().put(rule("all", Some("talk"), AccessDecision::Allow)).await.unwrap();
    setup.kernel.access().put(server_rule("agent.other", "all")).await.unwrap();
    let without = setup.raw_host(As::plain(host_era)).await;
    let with = setup.raw_host(As::plain(host_era).of("agent.other")).await;
    (setup, without, with)
}

/// Returns the requests about something that may exist, each with the same request about something that does not exist.
fn requests(host_era: Era) -> Vec<(&'static str, Value, Value)> {
    let argument = json!({"name": "name", "value": ""});
    let complete = |reference: Value| json!({"ref": reference, "argument": argument});
    let mut requests = vec![
        ("resources/read", json!({"uri": "mem://note"}), json!({"uri": "mem://none"})),
        ("prompts/get", json!({"name": "greet"}), json!({"name": "none"})),
        ("prompts/get", json!({"name": "all__greet"}), json!({"name": "all__none"})),
        (
            "completion/complete",
            complete(json!({"type": "ref/prompt", "name": "greet"})),
            complete(json!({"type": "ref/prompt", "name": "none"})),
        ),
        (
            "completion/complete",
            complete(json!({"type": "ref/resource", "uri": "mem://item/{name}"})),
            complete(json!({"type": "ref/resource", "uri": "mem://none/{name}"})),
        ),
    ];
    if host_era == Era::Initialize {
        requests.push(("resources/subscribe", json!({"uri": "mem://note"}), json!({"uri": "mem://none"})));
    }
    requests
}

#[tokio::test]
async fn a_server_without_a_grant_looks_like_an_absent_one() {
    for host_era in ERAS {
        for server_era in ERAS {
            let (setup, mut without, mut with) = two_hosts(host_era, server_era).await;
            for (method, list) in [
                ("resources/list", "resources"),
                ("resources/templates/list", "resourceTemplates"),
                ("prompts/list", "prompts"),
            ] {
                let entries = |listed: Value| {
                    let of_servers = |entry: &&Value| entry["uri"] != "mgp://manifest";
                    listed[list].as_array().unwrap().iter().filter(of_servers).count()
                };
                assert_eq!(entries(without.get(method, json!({})).await), 0, "{method}");
                assert_ne!(entries(with.get(method, json!({})).await), 0, "{method}");
            }
            for (method, there, absent) in requests(host_era) {
                let refused = without.refused(method, there.clone()).await;
                let unknown = without.refused(method, absent.clone()).await;
                let same = |mut error: Value| {
                    // The trace is of the one request.
                    let trace = error["data"].as_object_mut().and_then(|data| data.remove("trace_id"));
                    assert!(trace.is_some_and(|trace| trace.is_string()), "{method}: {error}");
                    error.to_string().replace("note", "none").replace("greet", "none").replace("item", "none")
                };
                assert_eq!(same(refused), same(unknown), "{method}");
                if method != "prompts/get" {
                    with.get(method, there).await;
                }
            }
            assert!(setup.sink.events().iter().all(|event| event.actor.id != "agent.test"
                || event.event_type.to_string() != "dev.cloto.mgp.REQUEST_FORWARDED"));
            let asked = requests(host_era).len() * 2;
            assert_eq!(
                events(&setup, "dev.cloto.mgp.REQUEST_BLOCKED", "method").len(),
                asked,
                "each refusal is recorded"
            );
            // The host can call the tool that it may call.
            assert_eq!(without.text("talk", json!({})).await, "talked");
        }
    }
}

#[tokio::test]
async fn grants_decide_whether_a_host_is_notified_of_a_resource() {
    for host_era in ERAS {
        let server = watched(Era::Initialize);
        let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
        let grant = server_rule("agent.test", "srv");
        setup.kernel.access().put(grant.clone()).await.unwrap();
        let mut host = setup.raw_host(As::plain(host_era)).await;
        if host_era == Era::Initialize {
            host.get("resources/subscribe", json!({"uri": "w://1"})).await;
        } else {
            let filter = json!({"notifications": {"resourceSubscriptions": ["w://1"]}});
            host.send("subscriptions/listen", filter).await;
            host.hear("notifications/subscriptions/acknowledged").await;
        }
        server.has_read("resources/subscribe", 1).await;
        let update =
            || server.say(says(None, mgp_types::mcp::ResourceUpdated::METHOD, json!({"uri": "w://1"})));
        update();
        host.hear("notifications/resources/updated").await;
        setup.kernel.access().remove(AccessKey::from(&grant)).await.unwrap();
        update();
        host.settle().await;
        assert_eq!(host.count("notifications/resources/updated"), 0, "{host_era:?}");
        setup.kernel.access().put(grant).await.unwrap();
        update();
        host.hear("notifications/resources/updated").await;
    }
}

#[tokio::test]
async fn a_forbidden_resource_and_an_absent_one_answer_alike() {
    let server = watched(Era::Initialize);
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    let mut host = setup.raw_host(As::plain(Era::Stateless)).await;
    let mut acknowledged = Vec::new();
    for uri in ["w://1", "w://2"] {
        host.send("subscriptions/listen", json!({"notifications": {"resourceSubscriptions": [uri]}})).await;
        let told = host.hear("notifications/subscriptions/acknowledged").await;
        acknowledged.push(told["params"]["notifications"].to_string().replace("w://2", "w://1"));
    }
    assert_eq!(acknowledged[0], acknowledged[1]);
    server.say(says(None, "notifications/resources/updated", json!({"uri": "w://1"})));
    host.settle().await;
    assert_eq!(host.count("notifications/resources/updated"), 0);
    assert_eq!(server.read_of("resources/subscribe"), [] as [Value; 0], "the server is not asked for it");
}

#[tokio::test]
async fn a_grant_notifies_the_hosts_of_its_agent() {
    let server = watched(Era::Initialize);
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    host.after_start().await;
    setup.kernel.access().put(server_rule("agent.test", "srv")).await.unwrap();
    host.hear("notifications/resources/list_changed").await;
    host.settle().await;
    assert_eq!(host.count("notifications/prompts/list_changed"), 0, "no server has prompts");
}
