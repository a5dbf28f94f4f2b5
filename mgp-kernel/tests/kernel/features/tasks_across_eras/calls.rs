//! The calls that become tasks, and the declarations about tasks to hosts and servers.

use super::support::{Door, EXTENSION, about, begin, call, each_pair, host, kernel, look, outcome, takes};
use crate::{
    raw_host::{As, ERAS, all},
    raw_server::{RawServer, error, result, text},
    support::{full, start},
};
use mgp_kernel::Era;
use serde_json::{Value, json};

#[tokio::test]
async fn a_call_without_a_request_for_a_task_creates_none() {
    each_pair(|setup, _, (host_era, server_era), door| async move {
        let mut host = setup.raw_host(As::plain(host_era).can(all())).await;
        door.open();
        assert_eq!(host.text("wait", json!({})).await, "through", "{host_era:?} {server_era:?}");
        assert_eq!(host.text("plain", json!({})).await, "at once");
        assert_eq!(setup.calls(), ["TOOL_EXECUTED SUCCESS srv.wait", "TOOL_EXECUTED SUCCESS srv.plain"]);
    })
    .await;
}

#[tokio::test]
async fn a_tool_that_requires_tasks_is_refused_to_hosts_without_them() {
    each_pair(|setup, _, (host_era, server_era), door| async move {
        let mut host = setup.raw_host(As::plain(host_era).can(all())).await;
        let must = json!({"name": "must", "arguments": {}});
        let dry =
            host.call("mgp_tools_call", json!({"name": "must", "arguments": {}, "dry_run": true})).await;
        // The other pairs ask their server, which a dry run does not.
        let is_foretold = (host_era, server_era) == (Era::Stateless, Era::Initialize);
        assert_eq!(dry["structuredContent"]["allowed"], !is_foretold, "{host_era:?} {server_era:?}: {dry}");
        let refused = host.refused("tools/call", must).await;
        let expected = if host_era == Era::Initialize { -32601 } else { -32021 };
        assert_eq!(refused["code"], expected, "{host_era:?} {server_era:?}: {refused}");
        let said = refused["message"].as_str().unwrap();
        assert!(said.contains("task"), "{said}");
        if host_era == Era::Stateless {
            assert!(
                refused["data"]["requiredCapabilities"]["extensions"][EXTENSION].is_object(),
                "{refused}"
            );
        }
        assert_eq!(door.inside(), 0);
        if is_foretold {
            assert_eq!(dry["structuredContent"]["error"]["code"], refused["code"], "{dry}");
            let events = ["dev.cloto.mgp.TOOL_CHECKED BLOCKED srv.must", "TOOL_BLOCKED BLOCKED srv.must"];
            assert_eq!(setup.calls(), events, "it reached no server");
        }
    })
    .await;
}

#[tokio::test]
async fn the_member_task_of_a_stateless_host_is_ignored() {
    let door = Door::closed();
    let setup = kernel(Era::Initialize, &door).await;
    let mut host = setup.raw_host(As::plain(Era::Stateless).can(all())).await;
    door.open();
    let result = host.get("tools/call", json!({"name": "wait", "arguments": {}, "task": {}})).await;
    assert_eq!(result["content"][0]["text"], "through", "{result}");
}

/// Returns a stateless server that answers every call with what it was told, or with a task.
fn telling(task: bool) -> RawServer {
    let capabilities = json!({"tools": {}, "extensions": {EXTENSION: {}}});
    RawServer::new(Era::Stateless, capabilities, move |message| match message["method"].as_str() {
        Some("tools/call") if task => Some(vec![result(
            message,
            json!({"resultType": "task", "taskId": "own", "status": "working", "createdAt": "c",
                "lastUpdatedAt": "u", "ttlMs": null}),
        )]),
        Some("tools/call") => Some(vec![text(message, "here")]),
        _ => None,
    })
}

fn declared(message: &Value) -> bool {
    let meta = &message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    meta["extensions"].get(EXTENSION).is_some()
}

#[tokio::test]
async fn a_stateless_server_learns_of_tasks_only_from_calls_for_one() {
    let server = telling(false);
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    // The extension that it declares has a meaning in the stateless revisions only.
    let mut core = setup.raw_host(As::plain(Era::Initialize).can(takes())).await;
    assert_eq!(core.text("work", json!({})).await, "here");
    begin(&mut core, Era::Initialize, "work").await;
    let mut stateless = setup.raw_host(As::plain(Era::Stateless).can(takes())).await;
    assert_eq!(stateless.text("work", json!({})).await, "here");
    let mut undeclared = setup.raw_host(As::plain(Era::Stateless).can(all())).await;
    assert_eq!(undeclared.text("work", json!({})).await, "here");
    let told: Vec<_> = server.read_of("tools/call").iter().map(declared).collect();
    assert_eq!(told, [false, true, true, false]);
    assert!(server.read_of("tools/call").iter().all(|call| call["params"].get("task").is_none()));
}

#[tokio::test]
async fn a_task_without_a_request_reaches_no_host() {
    let server = telling(true);
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    for era in ERAS {
        let mut host = setup.raw_host(As::plain(era).can(all())).await;
        let refused = host.refused("tools/call", json!({"name": "work", "arguments": {}})).await;
        assert!(refused["message"].as_str().unwrap().contains("not asked for"), "{refused}");
    }
}

#[tokio::test]
async fn an_immediate_answer_is_kept_as_a_completed_task() {
    let door = Door::closed();
    let setup = kernel(Era::Stateless, &door).await;
    let mut host = host(&setup, Era::Initialize).await;
    let task = begin(&mut host, Era::Initialize, "plain").await;
    assert_eq!(task["status"], "completed");
    assert_eq!(look(&mut host, &task).await, task);
    let result = outcome(&mut host, Era::Initialize, &task).await;
    assert_eq!(result["content"][0]["text"], "at once", "{result}");
    assert_eq!(host.get("tasks/list", json!({})).await["tasks"], json!([task]));
    assert_eq!(host.refused("tasks/cancel", about(&task)).await["code"], -32602);
    assert_eq!(setup.calls(), ["TOOL_EXECUTED SUCCESS srv.plain"]);
}

#[tokio::test]
async fn a_long_immediate_answer_is_whole_in_its_task() {
    let long = "a".repeat(300_000);
    let answer = long.clone();
    let server = RawServer::new(Era::Stateless, json!({"tools": {}}), move |message| {
        (message["method"] == "tools/call").then(|| vec![text(message, &answer)])
    });
    let setup = start(|kernel, _| {
        kernel.config(|config| config.results.max_tokens = Some(100)).server(server.spec("srv"))
    })
    .await;
    let mut host = host(&setup, Era::Initialize).await;
    let task = begin(&mut host, Era::Initialize, "work").await;
    let result = outcome(&mut host, Era::Initialize, &task).await;
    assert!(result["content"][0]["text"] == long, "{}", &result.to_string()[..200]);
}

#[tokio::test]
async fn hosts_see_which_tools_support_tasks() {
    let server = telling(false);
    let setup = start(|kernel, _| kernel.server(server.spec("srv")).config(full)).await;
    let mut core = setup.raw_host(As::plain(Era::Initialize)).await;
    let listed = core.get("tools/list", json!({})).await["tools"].take();
    assert_eq!(listed[0]["execution"], json!({"taskSupport": "optional"}), "{listed}");
    let mut stateless = setup.raw_host(As::plain(Era::Stateless)).await;
    let listed = stateless.get("tools/list", json!({})).await["tools"].take();
    assert_eq!(listed[0].get("execution"), None, "{listed}");
}

#[tokio::test]
async fn a_core_server_without_tasks_gets_no_request_for_one() {
    let server =
        RawServer::new(Era::Initialize, json!({"tools": {}}), |message| match message["method"].as_str() {
            Some("tools/list") => Some(vec![result(
                message,
                json!({"tools": [{"name": "work", "inputSchema": {"type": "object"},
                "execution": {"taskSupport": "required"}, "annotations": {"readOnlyHint": true}}]}),
            )]),
            Some("tools/call") if message["params"].get("task").is_some() => {
                Some(vec![error(message, -1, "no")])
            }
            Some("tools/call") => Some(vec![text(message, "here")]),
            _ => None,
        });
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    let mut host = host(&setup, Era::Stateless).await;
    let answer = host.get("tools/call", call(Era::Stateless, "work")).await;
    assert_eq!(answer["content"][0]["text"], "here", "{answer}");
}
