//! §16.6 Requests for capabilities, in both eras, by method and by meta-tool.

use crate::{
    raw_host::{As, ERAS},
    support::{Setup, spec, start, within},
};
use async_trait::async_trait;
use mgp_discovery::public_registry::{PublicRegistry, Recommender};
use mgp_kernel::{Endpoint, Era, InProcess, ServerSpec};
use mgp_server_sdk::{Server, Tool};
use mgp_transport::seam::{Fetch, FetchError};
use mgp_types::{access::DefaultPolicy, context::Principal, permission::PermissionPolicy};
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

async fn kernel(policy: PermissionPolicy) -> Setup {
    start(move |kernel, signals| {
        kernel.server(spec("test", signals)).config(|config| config.permissions.policy = Some(policy))
    })
    .await
}

/// The answer of the method and of the meta-tool, which must be the same but for the session that each names.
async fn both(setup: &Setup, era: Era, capabilities: &[&str]) -> Value {
    let params = json!({"requirements": {"capabilities": capabilities}});
    let mut host = setup.raw_host(As::mgp(era)).await;
    let mut by_method = host.get("mgp/tools/request", params.clone()).await;
    let mut host = setup.raw_host(As::mgp(era)).await;
    let by_tool = host.call("mgp_tools_request", params).await;
    let mut structured = by_tool["structuredContent"].clone();
    let text: Value = serde_json::from_str(by_tool["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, structured);
    for answer in [&mut by_method, &mut structured] {
        for of_the_era in ["resultType", "_meta"] {
            answer.as_object_mut().unwrap().remove(of_the_era);
        }
        if let Some(notes) = answer["_mgp"].as_object_mut() {
            assert_eq!(notes.remove("session").is_some(), era == Era::Stateless);
        }
    }
    let empty = |answer: &mut Value| {
        if answer["_mgp"] == json!({}) || answer["_mgp"].is_null() {
            answer.as_object_mut().unwrap().remove("_mgp");
        }
    };
    empty(&mut by_method);
    empty(&mut structured);
    assert_eq!(by_method, structured);
    by_method
}

fn names(answer: &Value) -> Vec<&str> {
    answer["tools_loaded"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_request_loads_capabilities_or_names_them_as_unavailable() {
    for era in ERAS {
        let setup = kernel(PermissionPolicy::Interactive).await;
        let answer = both(&setup, era, &["add_numbers"]).await;
        assert_eq!((&answer["status"], names(&answer)[0]), (&json!("fulfilled"), "add"), "{answer}");
        assert!(answer["context_tokens_added"].as_u64().unwrap() > 20);
        let answer = both(&setup, era, &["add_numbers", "playChess"]).await;
        assert_eq!(answer["status"], "partial");
        assert_eq!(answer["tools_unavailable"], json!(["playChess"]));
        let answer = both(&setup, era, &["play.chess"]).await;
        assert_eq!((&answer["status"], &answer["tools_loaded"]), (&json!("unavailable"), &json!([])));
        let events = setup.sink.events();
        let requested: Vec<_> =
            events.iter().filter(|event| event.event_type.to_string().ends_with("TOOLS_REQUESTED")).collect();
        assert_eq!(requested.len(), 6);
        assert!(requested.iter().all(|event| event.actor.id == "agent.test"));
    }
}

#[tokio::test]
async fn the_tool_that_fits_the_intent_of_the_request_is_first() {
    let server = Server::new("numbers", "1")
        .tool(Tool::new("statistics_of_lakes", "Statistics of lakes", async || ""))
        .tool(Tool::new("statistics_of_rivers", "Statistics of rivers", async || ""))
        .build()
        .unwrap();
    for era in ERAS {
        let mut spec = ServerSpec::new(
            "numbers",
            Endpoint::InProcess(InProcess::new({
                let server = server.clone();
                move || server.in_process()
            })),
        );
        spec.default_policy = DefaultPolicy::OptOut;
        let setup = start(|kernel, _| kernel.server(spec)).await;
        for (intent, first) in [("rivers", "statistics_of_rivers"), ("lakes", "statistics_of_lakes")] {
            let params =
                json!({"requirements": {"capabilities": ["statistics"]}, "_meta": {"intent": intent}});
            let mut host = setup.raw_host(As::mgp(era)).await;
            let by_method = host.get("mgp/tools/request", params.clone()).await;
            let mut call = json!({"name": "mgp_tools_request", "arguments": params});
            call["_meta"] = call["arguments"]["_meta"].take();
            call["arguments"].as_object_mut().unwrap().remove("_meta");
            let by_tool = setup.raw_host(As::mgp(era)).await.get("tools/call", call).await;
            for answer in [&by_method, &by_tool["structuredContent"]] {
                assert_eq!(names(answer)[0], first, "{era:?} {intent}: {answer}");
            }
        }
    }
    let setup = kernel(PermissionPolicy::Interactive).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let params = json!({"requirements": {"capabilities": ["add"]}, "_meta": {"intent": 7}});
    assert_eq!(host.refused("mgp/tools/request", params).await["code"], -32602);
}

#[tokio::test]
async fn the_event_of_a_request_has_the_trace_of_its_task_or_its_own() {
    let setup = kernel(PermissionPolicy::Interactive).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    for task in [Some("of-the-task"), None] {
        let mut params =
            json!({"requirements": {"capabilities": ["add"]}, "_mgp": {"trace_id": "of-the-request"}});
        if let Some(task) = task {
            params["task_trace_id"] = task.into();
        }
        host.get("mgp/tools/request", params).await;
        let event = setup.sink.events().pop().unwrap();
        assert!(event.event_type.as_str().ends_with("TOOLS_REQUESTED"), "{event:?}");
        assert_eq!(event.trace_id.get().map(String::as_str), task.or(Some("of-the-request")));
    }
}

#[tokio::test]
async fn a_tool_without_permission_is_pending_until_it_is_approved() {
    for era in ERAS {
        let setup = kernel(PermissionPolicy::Interactive).await;
        let answer = both(&setup, era, &["secret"]).await;
        assert_eq!((&answer["status"], &answer["tools_loaded"]), (&json!("pending_approval"), &json!([])));
        let approval = &answer["_mgp"]["pending_approvals"][0];
        assert_eq!((&approval["capability"], &approval["name"]), (&json!("secret"), &json!("secret")));
        assert_eq!(
            (&approval["permissions"][0]["permission"], &approval["permissions"][0]["state"]),
            (&json!("camera"), &json!("deferred"))
        );
        // It is the question that `mgp approve` shows, and decides.
        let pending = setup.kernel.permissions().pending().await.unwrap();
        assert_eq!(pending[0].request_id, approval["permissions"][0]["request_id"].as_str().unwrap());
        let camera = "camera".parse().unwrap();
        setup.kernel.permissions().grant("test", &camera, &Principal::operator("ann"), None).await.unwrap();
        let answer = both(&setup, era, &["secret"]).await;
        assert_eq!((&answer["status"], names(&answer)), (&json!("fulfilled"), vec!["secret"]));
    }
}

#[tokio::test]
async fn unapprovable_and_denied_tools_are_unavailable() {
    for policy in [PermissionPolicy::ConfigOnly, PermissionPolicy::DenyAll] {
        let setup = kernel(policy).await;
        assert_eq!(both(&setup, Era::Initialize, &["secret"]).await["status"], "unavailable", "{policy}");
    }
    let setup = kernel(PermissionPolicy::Interactive).await;
    let camera = "camera".parse().unwrap();
    setup.kernel.permissions().deny("test", &camera, &Principal::operator("ann")).await.unwrap();
    assert_eq!(both(&setup, Era::Initialize, &["secret"]).await["status"], "unavailable");
}

#[tokio::test]
async fn creating_is_only_answered_if_an_agent_may_submit_code() {
    let setup = kernel(PermissionPolicy::AutoApprove).await;
    let answer = both(&setup, Era::Initialize, &["a_tool_that_nobody_has"]).await;
    assert_eq!(answer["status"], "unavailable");
}

#[tokio::test]
async fn a_server_that_is_down_serves_nothing() {
    let setup = kernel(PermissionPolicy::Interactive).await;
    within(setup.kernel.shutdown()).await;
    assert_eq!(both(&setup, Era::Initialize, &["add"]).await["status"], "unavailable");
}

#[tokio::test]
async fn mistakes_of_a_request_are_named() {
    let setup = kernel(PermissionPolicy::Interactive).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let wrong = json!({"requirements": {"capabilities": []}});
    let error = host.refused("mgp/tools/request", wrong.clone()).await;
    assert_eq!(error["code"], -32602);
    assert!(error["message"].as_str().unwrap().starts_with("invalid requirements.capabilities: 0 entries"));
    let result = host.call("mgp_tools_request", wrong).await;
    assert_eq!((&result["isError"], &result["content"][0]["text"]), (&json!(true), &error["message"]));
}

/// A registry with one server, which counts its requests.
#[derive(Debug, Default)]
struct OneServer(AtomicUsize);

#[async_trait]
impl Fetch for OneServer {
    async fn fetch(&self, _: http::Request<String>, _: usize) -> Result<http::Response<Vec<u8>>, FetchError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        let page = json!({"servers": [{"server": {"name": "x/design-mockup"}}], "metadata": {}});
        Ok(http::Response::new(page.to_string().into_bytes()))
    }
}

#[tokio::test]
async fn registries_are_only_queried_for_unmet_capabilities() {
    let local = Arc::new(OneServer::default());
    let registry = PublicRegistry::new("http://127.0.0.1/", local.clone()).unwrap();
    let setup = start(|kernel, signals| {
        kernel.server(spec("test", signals)).recommender(Recommender::new([registry]))
    })
    .await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    let wanted = |capabilities: &[&str]| json!({"requirements": {"capabilities": capabilities}});
    for (capability, status) in [("count upwards", "fulfilled"), ("secret", "pending_approval")] {
        let answer = host.call("mgp_tools_request", wanted(&[capability])).await;
        assert_eq!(answer["structuredContent"]["status"], status, "{answer}");
        assert_eq!(local.0.load(Ordering::SeqCst), 0, "nothing was missing");
    }
    let expected = json!([{"capability": "design_mockup", "server_name": "x/design-mockup",
        "registry_url": "http://127.0.0.1/", "match_confidence": "high"}]);
    // Also while another capability waits for an approval.
    for capabilities in [&["design_mockup"][..], &["secret", "design_mockup"]] {
        let answer = host.call("mgp_tools_request", wanted(capabilities)).await;
        assert_eq!(answer["structuredContent"]["recommendations"], expected, "{answer}");
    }
}
