//! The names of the prompts and resources of several servers, and the routing of requests for them.

use crate::{
    features::eras,
    raw_host::{As, ERAS, RawHost},
    support::{Setup, server_rule, start, within},
};
use mgp_kernel::Era;
use mgp_server_sdk::{
    Prompt, Resource, ResourceTemplate, Server, ServerStack,
    extract::{Args, Uri},
};
use mgp_types::{
    context::Principal,
    lifecycle::{KernelStatusParams, ReportKernel},
    negotiation::ExtensionSet,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema)]
struct About {
    #[expect(dead_code, reason = "it is there to be completed")]
    topic: String,
}

#[derive(Deserialize, JsonSchema)]
struct Item {
    #[expect(dead_code, reason = "it is there to be matched")]
    id: String,
}

/// Returns a server with resources, templates and prompts, whose answers name the server.
fn server(id: &'static str, uris: &[&str], templates: &[&str], prompts: &[&str]) -> ServerStack {
    let mut server = Server::new(id, "1");
    for uri in uris {
        server = server
            .resource(Resource::text(*uri, id, move |Uri(uri): Uri| async move { format!("{id} {uri}") }));
    }
    for template in templates {
        let read = move |Uri(uri): Uri, _: Args<Item>| async move { format!("{id} {uri}") };
        server = server.resource_template(ResourceTemplate::text(*template, id, read));
    }
    for prompt in prompts {
        let get = move |_: Args<About>| async move { format!("prompt of {id}") };
        let complete = move || async move { vec![format!("completed by {id}")] };
        server = server.prompt(Prompt::new(*prompt, "", get).complete("topic", complete));
    }
    server.build().unwrap()
}

/// Starts a kernel in front of two servers. The agent `agent.test` may use both, `agent.a` the first, and `agent.b` the second.
async fn kernel(a: &ServerStack, b: &ServerStack) -> Setup {
    let (first, second) = (eras::spec("a", Era::Initialize, a), eras::spec("b", Era::Stateless, b));
    let setup = start(|kernel, _| kernel.server(first).server(second)).await;
    for (agent, server) in [("agent.test", "a"), ("agent.test", "b"), ("agent.a", "a"), ("agent.b", "b")] {
        setup.kernel.access().put(server_rule(agent, server)).await.unwrap();
    }
    setup
}

async fn prompts(host: &mut RawHost) -> Vec<String> {
    let listed = host.get("prompts/list", json!({})).await;
    listed["prompts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|prompt| prompt["name"].as_str().unwrap().to_owned())
        .collect()
}

async fn prompt(host: &mut RawHost, name: &str) -> String {
    let answer = host.ask("prompts/get", json!({"name": name, "arguments": {"topic": "x"}})).await;
    let found = &answer["result"]["messages"][0]["content"]["text"];
    found.as_str().map_or_else(|| answer["error"]["message"].as_str().unwrap().to_owned(), str::to_owned)
}

async fn completed(host: &mut RawHost, name: &str) -> Value {
    let params =
        json!({"ref": {"type": "ref/prompt", "name": name}, "argument": {"name": "topic", "value": ""}});
    host.get("completion/complete", params).await["completion"]["values"][0].clone()
}

async fn read(host: &mut RawHost, uri: &str) -> String {
    let answer = host.ask("resources/read", json!({"uri": uri})).await;
    let found = &answer["result"]["contents"][0]["text"];
    found.as_str().map_or_else(|| answer["error"]["message"].as_str().unwrap().to_owned(), str::to_owned)
}

#[tokio::test]
async fn a_prompt_name_belongs_to_the_first_server_that_lists_it() {
    let (a, b) = (server("a", &[], &[], &["same", "own_a"]), server("b", &[], &[], &["same", "own_b"]));
    let setup = kernel(&a, &b).await;
    for era in ERAS {
        let mut host = setup.raw_host(As::plain(era)).await;
        assert_eq!(prompts(&mut host).await, ["same", "own_a", "b__same", "own_b"]);
        for (name, by) in
            [("same", "a"), ("a__same", "a"), ("b__same", "b"), ("own_b", "b"), ("b__own_b", "b")]
        {
            assert_eq!(prompt(&mut host, name).await, format!("prompt of {by}"), "{name}");
            assert_eq!(completed(&mut host, name).await, format!("completed by {by}"), "{name}");
        }
        for name in ["b__own_a", "c__same", "b__", "__same", ""] {
            assert!(prompt(&mut host, name).await.starts_with("unknown prompt"), "{name}");
        }
        // A name means the same to every agent, so no agent gets another prompt than the one that it was shown.
        let mut only_b = setup.raw_host(As::plain(era).of("agent.b")).await;
        assert_eq!(prompts(&mut only_b).await, ["b__same", "own_b"]);
        assert!(prompt(&mut only_b, "same").await.starts_with("unknown prompt"));
        assert!(prompt(&mut only_b, "a__same").await.starts_with("unknown prompt"));
        assert_eq!(prompt(&mut only_b, "b__same").await, "prompt of b");
    }
}

#[tokio::test]
async fn an_agent_gets_a_shared_uri_from_the_first_usable_server() {
    let (a, b) = (server("a", &["x://1"], &[], &[]), server("b", &["x://1", "x://2"], &[], &[]));
    let setup = kernel(&a, &b).await;
    for era in ERAS {
        for (agent, owner, listed) in [("agent.test", "a", ["a", "b"]), ("agent.b", "b", ["b", "b"])] {
            let mut host = setup.raw_host(As::plain(era).of(agent)).await;
            let found = host.get("resources/list", json!({})).await;
            let found: Vec<_> = found["resources"]
                .as_array()
                .unwrap()
                .iter()
                .map(|resource| (resource["uri"].as_str().unwrap(), resource["name"].as_str().unwrap()))
                .collect();
            assert_eq!(
                found,
                [("x://1", listed[0]), ("x://2", listed[1]), ("mgp://manifest", "manifest")],
                "{agent}"
            );
            assert_eq!(read(&mut host, "x://1").await, format!("{owner} x://1"));
            assert_eq!(read(&mut host, "x://2").await, "b x://2");
        }
    }
}

#[tokio::test]
async fn a_uri_reaches_its_lister_the_nearest_template_or_its_scheme() {
    let a = server("a", &["x://t/deep/listed", "only-a://1"], &["x://t/{id}", "same://{id}"], &[]);
    let b = server("b", &["y://1"], &["x://t/deep/{id}", "same://{id}"], &[]);
    let setup = kernel(&a, &b).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    for (uri, by) in [("x://t/5", "a"), ("x://t/deep/5", "b"), ("x://t/deep/listed", "a"), ("same://5", "a")]
    {
        assert_eq!(read(&mut host, uri).await, format!("{by} {uri}"), "{uri}");
    }
    // A URI that no server lists and no template covers goes to the only server with resources of its scheme.
    let forwarded = |setup: &Setup| {
        let all = setup.sink.events();
        let last =
            all.iter().rfind(|event| event.event_type.to_string().ends_with("REQUEST_FORWARDED")).cloned();
        last.and_then(|event| event.target.get()?.server_id.get().cloned())
    };
    for (uri, by) in [("y://unlisted", "b"), ("Only-A://2", "a")] {
        read(&mut host, uri).await;
        assert_eq!(forwarded(&setup).as_deref(), Some(by), "{uri}");
    }
    let forwarded_so_far = |setup: &Setup| {
        let all = setup.sink.events();
        all.iter().filter(|event| event.event_type.to_string().ends_with("REQUEST_FORWARDED")).count()
    };
    let before = forwarded_so_far(&setup);
    for uri in ["x://elsewhere", "z://1", "no scheme", ""] {
        assert!(read(&mut host, uri).await.starts_with("resource not found"), "{uri}");
    }
    // Two servers have resources of the scheme x, so the scheme does not decide; no server has one of the scheme z.
    assert_eq!(forwarded_so_far(&setup), before);
    let mut only_a = setup.raw_host(As::plain(Era::Initialize).of("agent.a")).await;
    read(&mut only_a, "z://1").await;
    assert_eq!(forwarded(&setup).as_deref(), Some("a"), "the only one that has resources");
}

#[tokio::test]
async fn the_operator_s_report_names_resources_of_earlier_servers() {
    let a = server("a", &["x://1"], &["x://t/{id}"], &[]);
    let b = server("b", &["x://1", "x://2"], &["x://t/{id}", "x://u/{id}"], &[]);
    let setup = kernel(&a, &b).await;
    let operator = setup.host_that(ExtensionSet::ALL, Principal::operator("ann")).await;
    let asked = KernelStatusParams { tools: true, ..Default::default() };
    let notices = within(operator.request::<ReportKernel>(&asked)).await.unwrap().notices;
    assert_eq!(notices, setup.kernel.operator().notices());
    let [notice] = notices.as_slice() else { panic!("{notices:?}") };
    let named = r#""x://1" (server `a` lists it too), "x://t/{id}" (server `a` has the same template)"#;
    assert!(notice.server_id == "b" && notice.text.ends_with(named), "{notice:?}");
    let alone = kernel(&a, &server("b", &["x://2"], &[], &[])).await;
    assert!(alone.kernel.operator().notices().is_empty());
}
