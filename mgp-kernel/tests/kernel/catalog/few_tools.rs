//! Agents whose tools take fewer tokens than the meta-tools: with `hybrid`, they are shown their tools at once.

use crate::{
    catalog::instructions::{saying, told_by},
    raw_host::{As, ERAS, RawHost},
    raw_server::{listing, long},
    support::{Setup, agents, rule, spec_of_sessions, start},
};
use mgp_kernel::Era;
use mgp_toolindex::{meta_tools, tokens::TokenCounter};
use mgp_types::{
    access::AccessDecision,
    context::Principal,
    permission::{Permission, StandardPermission},
};
use serde_json::{Value, json};

const CHANGED: &str = "notifications/tools/list_changed";
/// The tools of the server of the tests that need no permission.
const FOUR: [&str; 4] = ["add", "run_shell", "count", "hang"];

async fn listed(host: &mut RawHost) -> Vec<String> {
    let list = host.get("tools/list", json!({})).await;
    let tools = list["tools"].as_array().unwrap().iter();
    tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn few_tools_are_listed_instead_of_the_meta_tools() {
    let setup = start(|kernel, _| kernel.server(saying("Work in the morning.").spec("worker"))).await;
    for era in ERAS {
        let mut host = setup.raw_host(As::plain(era)).await;
        assert_eq!(listed(&mut host).await, ["work"]);
        let found = host.call("mgp_tools_discover", json!({"query": "work"})).await;
        assert_eq!(found["structuredContent"]["tools"][0]["name"], "work", "{found}");
    }
    let told = told_by(&setup.kernel, "agent.test").await;
    assert_eq!(
        told,
        "Behind this gateway: `worker` (1 tool). Their tools are all in your list.\n\n\
         `worker` says of itself: Work in the morning."
    );
    let mut nobody = setup.raw_host(As::plain(Era::Initialize).of("agent.none")).await;
    assert_eq!(listed(&mut nobody).await, meta_tools::NAMES, "it has no tools");
}

#[tokio::test]
async fn the_meta_tools_are_listed_while_they_lead_to_more_tools() {
    let setup = start(|kernel, signals| kernel.server(spec_of_sessions("test", signals))).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    assert_eq!(listed(&mut host).await, [&meta_tools::NAMES[..], &FOUR].concat(), "one tool waits");
    let told = told_by(&setup.kernel, "agent.test").await;
    assert!(told.contains("all in your list; mgp_tools_discover names others"), "{told}");
    let camera = Permission::Standard(StandardPermission::Camera);
    setup.kernel.permissions().grant("test", &camera, &Principal::operator("ann"), None).await.unwrap();
    host.hear(CHANGED).await;
    assert_eq!(listed(&mut host).await, [&FOUR[..], &["secret"]].concat());
    setup.kernel.permissions().deny("test", &camera, &Principal::operator("ann")).await.unwrap();
    host.hear(CHANGED).await;
    assert_eq!(listed(&mut host).await, [&meta_tools::NAMES[..], &FOUR].concat(), "one tool is closed");
}

#[tokio::test]
async fn a_host_is_notified_when_its_tools_become_few_or_many() {
    let setup = start(|kernel, signals| {
        kernel.server(spec_of_sessions("test", signals)).server(long("long")).config(agents(["agent.other"]))
    })
    .await;
    let may = async |decision| {
        setup.kernel.access().put(rule("long", None, decision)).await.unwrap();
    };
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    let mut other = setup.raw_host(As::plain(Era::Initialize).of("agent.other")).await;
    host.after_start().await;
    other.after_start().await;
    assert_eq!(listed(&mut host).await, meta_tools::NAMES);
    may(AccessDecision::Deny).await;
    host.hear(CHANGED).await;
    assert_eq!(listed(&mut host).await, [&meta_tools::NAMES[..], &FOUR].concat());
    may(AccessDecision::Allow).await;
    host.hear(CHANGED).await;
    assert_eq!(listed(&mut host).await, meta_tools::NAMES);
    other.settle().await;
    assert_eq!(other.count(CHANGED), 0, "its tools are many all the time");
}

#[tokio::test]
async fn calling_a_listed_tool_does_not_change_the_list() {
    let setup = start(|kernel, signals| kernel.server(spec_of_sessions("test", signals))).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    host.after_start().await;
    let before = listed(&mut host).await;
    host.get("tools/call", json!({"name": "add", "arguments": {"a": 1, "b": 1}})).await;
    host.settle().await;
    assert_eq!((host.count(CHANGED), listed(&mut host).await), (0, before));
}

/// Every definition takes as much.
#[derive(Debug)]
struct Each(u64);

impl TokenCounter for Each {
    fn count(&self, _: &str) -> u64 {
        self.0
    }
}

/// Starts a kernel in front of some tools of a length at which their tokens have to be counted.
async fn kernel_of(count: usize) -> Setup {
    let text = "Does something that is told in many words. ".repeat(40);
    let tool = |number: usize| json!({"name": format!("t{number}"), "description": text, "inputSchema": {"type": "object"}});
    let tools: Vec<Value> = (0..count).map(tool).collect();
    start(|kernel, _| kernel.server(listing("s", json!(tools))).token_counter(Each(1000))).await
}

#[tokio::test]
async fn tokens_decide_if_the_length_does_not() {
    for (count, are_few) in [(4, true), (5, false)] {
        let setup = kernel_of(count).await;
        let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
        let shown = listed(&mut host).await;
        assert_eq!(shown.contains(&"t0".to_owned()), are_few, "{count}: {shown:?}");
        assert_eq!(shown.len(), if are_few { count } else { meta_tools::NAMES.len() });
    }
}
