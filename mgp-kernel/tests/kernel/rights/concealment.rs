//! A tool that an agent may not see cannot be told, by calling it, from one that does not exist.

use crate::{
    raw_host::{As, ERAS, RawHost},
    support::{Setup, rule, spec, start},
};
use mgp_kernel::{Era, KernelBuilder};
use mgp_types::access::{AccessDecision, DefaultPolicy};
use serde_json::{Value, json};

async fn kernel(set: impl FnOnce(KernelBuilder) -> KernelBuilder) -> Setup {
    let setup = start(|kernel, signals| {
        let mut spec = spec("test", signals);
        spec.default_policy = DefaultPolicy::OptIn;
        set(kernel.server(spec))
    })
    .await;
    setup.kernel.access().put(rule("test", Some("add"), AccessDecision::Allow)).await.unwrap();
    setup
}

/// Returns the ways to call a tool, including wrong ones.
fn calls(name: &str) -> Vec<Value> {
    let arguments = json!({"command": "rm -rf /", "steps": "none"});
    vec![
        json!({"name": name, "arguments": arguments}),
        json!({"name": format!("test__{name}"), "arguments": {}, "_meta": {"progressToken": 1}}),
        json!({"name": name, "arguments": {}, "task": {"ttl": 1000}}),
        json!({"name": "mgp_tools_call", "arguments": {"name": name, "arguments": arguments}}),
    ]
}

/// Returns everything that a host reads when it calls, in all those ways, a tool that it cannot see.
async fn read(host: &mut RawHost, name: &str, stands_for: &str) -> Vec<String> {
    host.read.clear();
    let mut ids = Vec::new();
    for call in calls(name) {
        let id = host.send("tools/call", call).await;
        host.answer_to(id).await;
        ids.push(id);
    }
    host.settle().await;
    let first = ids[0];
    let comparable = |mut message: Value| {
        if let Some(id) = message["id"].as_i64() {
            message["id"] = json!(id - first);
        }
        // Each call has a trace of its own.
        if let Some(data) = message["error"]["data"].as_object_mut() {
            assert!(data.remove("trace_id").is_some(), "{data:?}");
        }
        message.to_string().replace(name, stands_for)
    };
    host.read.drain(..).map(comparable).collect()
}

#[tokio::test]
async fn a_concealed_tool_answers_exactly_like_an_absent_one() {
    for era in ERAS {
        let setup = kernel(|kernel| kernel.config(|config| config.access.conceal = Some(true))).await;
        for this in [As::plain(era), As::mgp(era)] {
            let mut host = setup.raw_host(this).await;
            host.text("add", json!({"a": 1, "b": 1})).await;
            host.settle().await;
            let absent = read(&mut host, "nothing", "TOOL").await;
            assert_eq!(absent.len(), calls("").len(), "nothing but the answers: {absent:?}");
            for hidden in ["run_shell", "count", "secret", "hang"] {
                assert_eq!(read(&mut host, hidden, "TOOL").await, absent, "{era:?} {hidden}");
            }
        }
        let reasons: Vec<_> = setup
            .sink
            .events()
            .iter()
            .filter(|event| {
                let tool = event.target.get().and_then(|target| target.tool_name.get());
                tool.is_some_and(|tool| tool == "count")
            })
            .map(|event| (event.result.to_string(), event.details.as_ref().unwrap().text("reason").unwrap()))
            .collect();
        assert_eq!(reasons.len(), calls("").len() * 2, "the trail has the truth");
        assert!(
            reasons.iter().all(|(result, reason)| result == "BLOCKED"
                && reason.starts_with("agent \"agent.test\" may not call tool")),
            "{reasons:?}"
        );
    }
}

#[tokio::test]
async fn by_default_tools_are_concealed_only_from_remote_hosts() {
    for (conceal, local, remote) in [(None, 1001, 4001), (Some(true), 4001, 4001), (Some(false), 1001, 1001)]
    {
        let setup = kernel(|kernel| match conceal {
            Some(conceal) => kernel.config(|config| config.access.conceal = Some(conceal)),
            None => kernel,
        })
        .await;
        let call = json!({"name": "count", "arguments": {"steps": 1}});
        let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
        assert_eq!(host.refused("tools/call", call.clone()).await["code"], local, "{conceal:?}");
        let mut host = setup.raw_remote_host(As::mgp(Era::Initialize)).await;
        assert_eq!(host.refused("tools/call", call).await["code"], remote, "{conceal:?}");
    }
}

#[tokio::test]
async fn a_tool_that_waits_for_a_permission_is_not_concealed() {
    let setup =
        kernel(|kernel| kernel.config(|config| config.access.conceal = Some(true)).without_approver()).await;
    setup.kernel.access().put(rule("test", Some("secret"), AccessDecision::Allow)).await.unwrap();
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let call = json!({"name": "secret", "arguments": {}});
    assert_eq!(host.refused("tools/call", call).await["code"], 1000);
}
