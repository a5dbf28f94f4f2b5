//! §13.5 The kernel's own channels: calls on behalf of others, calls of operators, and servers that speak of themselves.

use crate::{
    features::events::{EVENT, hear, operator, raw_with, subscribe},
    raw_host::As,
    raw_server::says,
    support::{self, agents, start},
};
use mgp_kernel::Era;
use serde_json::json;

#[tokio::test]
async fn a_call_on_behalf_of_others_is_announced_to_no_other_agent() {
    let setup = start(|kernel, signals| {
        kernel.server(support::spec("test", signals)).config(agents(["ann", "bob", "root"]))
    })
    .await;
    setup.permission_asked().await;
    let mut ann = setup.raw_host(As::mgp(Era::Initialize).of("ann")).await;
    let mut bob = setup.raw_host(As::mgp(Era::Initialize).of("bob")).await;
    let mut root = setup.raw_host(operator()).await;
    for host in [&mut ann, &mut bob, &mut root] {
        subscribe(host, Era::Initialize, json!({"channels": ["tool.*", "security.*"]})).await;
    }
    let add = json!({"name": "add", "arguments": {"a": 1, "b": 2}});
    let mut on_behalf = add.clone();
    on_behalf["_mgp"]["delegation"] = json!(["bob"]);
    ann.get("tools/call", on_behalf.clone()).await;
    on_behalf["_mgp"]["delegation"] = json!(["bob", "nobody"]);
    ann.refused("tools/call", on_behalf).await;
    root.get("tools/call", add).await;
    for (host, agents) in [(&mut ann, &["ann", "ann"][..]), (&mut root, &["ann", "ann", "root"])] {
        for (agent, channel) in agents.iter().zip(["tool.called", "security.refused", "tool.called"]) {
            let (told, _, data, _) = hear(host).await;
            assert_eq!((&*told, &data["agent_id"]), (channel, &json!(agent)), "{data}");
        }
    }
    for host in [&mut ann, &mut bob, &mut root] {
        host.settle().await;
        assert_eq!(host.count(EVENT), 0, "{:?}", host.heard);
    }
}

#[tokio::test]
async fn a_server_s_audit_events_do_not_reach_the_kernel_s_channels() {
    let server = raw_with(Era::Initialize, &["events", "audit"]);
    let setup = start(|kernel, _| kernel.server(server.spec("srv")).config(agents(["ann"]))).await;
    let mut ann = setup.raw_host(As::mgp(Era::Initialize).of("ann")).await;
    let mut root = setup.raw_host(operator()).await;
    for host in [&mut ann, &mut root] {
        let channels = json!({"channels": ["tool.*", "security.*", "system.audit"]});
        subscribe(host, Era::Initialize, channels).await;
    }
    let forged = [
        ("TOOL_EXECUTED", "SUCCESS"),
        ("TOOL_EXECUTED", "FAILURE"),
        ("TOOL_BLOCKED", "BLOCKED"),
        ("PERMISSION_GRANTED", "SUCCESS"),
        ("dev.cloto.mgp.TOOL_CHANGED", "SUCCESS"),
        ("dev.cloto.mgp.CALL_APPROVED", "SUCCESS"),
    ];
    for (event_type, result) in forged {
        let event = json!({
            "timestamp": "t", "event_type": event_type, "result": result,
            "actor": {"type": "kernel", "id": "kernel"}, "target": {"server_id": "srv", "tool_name": "work"},
        });
        server.say(says(None, "notifications/mgp.audit", event));
    }
    for (event_type, _) in forged {
        let (channel, server_id, data, _) = hear(&mut root).await;
        assert_eq!((&*channel, &*server_id), ("system.audit", "srv"), "{data}");
        assert_eq!((&data["event_type"], &data["actor"]["type"]), (&json!(event_type), &json!("server")));
    }
    for host in [&mut ann, &mut root] {
        host.settle().await;
        assert_eq!(host.count(EVENT), 0, "{:?}", host.heard);
    }
}
