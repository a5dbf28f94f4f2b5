//! A tool is its session's alone, keeps within its bounds, and leaves nothing.

use super::support::{InSession, events, function, kernel, open, settings};
use crate::{
    raw_host::ERAS,
    support::{jump, server_rule, until, until_some},
};
use mgp_discovery::config::ToolCreationConfig;
use mgp_kernel::Era;
use mgp_types::{context::Principal, permission::PermissionPolicy};
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn another_session_or_agent_neither_sees_nor_calls_a_tool() {
    for era in ERAS {
        let setup = open().await;
        let mut owner = InSession::new(&setup, era).await;
        let name = owner.make("shout_loudly", &function("shout", "return given.upper()")).await;
        let server = name.replace("made_shout_", "made-");
        assert_eq!(owner.call(&name, json!({})).await["content"][0]["text"], "");
        // No rule opens it to others.
        for agent in ["agent.test", "agent.other"] {
            setup.kernel.access().put(server_rule(agent, &server)).await.unwrap();
        }
        for agent in ["agent.test", "agent.other", "agent.guest"] {
            let mut other = InSession::of(&setup, era, agent).await;
            other.ask("mgp/tools/session", json!({})).await;
            assert!(!other.finds("shout loudly").await.contains(&name), "{agent}");
            assert_ne!(other.request("shout_loudly", None).await["result"]["status"], "fulfilled", "{agent}");
            let list = other.ask("tools/list", json!({})).await;
            assert!(!list.to_string().contains(&name), "{list}");
            for called in [name.clone(), format!("{server}__{name}")] {
                let mut refused = other.call(&called, json!({})).await;
                let mut unknown = other.call(&called.replace("shout", "shoot"), json!({})).await;
                for answer in [&mut refused, &mut unknown] {
                    answer["data"]["trace_id"].take();
                }
                assert_eq!(refused.to_string(), unknown.to_string().replace("shoot", "shout"), "{agent}");
            }
        }
        if era == Era::Stateless {
            // Without its session, the caller is a stranger as well.
            let session = owner.session.take();
            let refused = owner.call(&name, json!({})).await;
            assert!(refused["message"].as_str().unwrap().contains("nknown tool"), "{refused}");
            owner.session = session;
        }
        let delegated = json!({
            "name": name, "arguments": {},
            "_mgp": {"delegation": ["agent.other"]},
        });
        let refused = owner.ask("tools/call", delegated).await;
        assert!(refused["result"].is_null(), "{refused}");
        assert_eq!(owner.call(&name, json!({"given": "a"})).await["content"][0]["text"], "A");
    }
}

#[tokio::test]
async fn a_tool_ends_with_its_session_and_leaves_nothing() {
    let setup = open().await;
    let mut owner = InSession::new(&setup, Era::Initialize).await;
    let name = owner.make("shout_loudly", &function("shout", "return given.upper()")).await;
    let servers = || setup.kernel.servers().iter().map(|server| server.id().to_owned()).collect::<Vec<_>>();
    assert!(servers().iter().any(|id| id.starts_with("made-")));
    // Not even to its agent outside of the session.
    assert!(!setup.kernel.tools(&Principal::agent("agent.test")).iter().any(|tool| *tool.name == *name));
    drop(owner);
    until(|| servers() == ["test"] && !events(&setup, "TOOL_REMOVED").is_empty()).await;
    assert!(events(&setup, "TOOL_REMOVED")[0].contains("its session ended"));
    let mut next = InSession::new(&setup, Era::Initialize).await;
    assert!(next.call(&name, json!({})).await["message"].as_str().unwrap().contains("nknown tool"));
}

#[tokio::test]
async fn the_tools_of_a_session_are_bounded_and_replaced_by_name() {
    for era in ERAS {
        let rules = PermissionPolicy::AutoApprove;
        let setup = kernel(rules, ToolCreationConfig { max_tools: 1, ..settings() }).await;
        let mut agent = InSession::new(&setup, era).await;
        let first = agent.make("shout_loudly", &function("shout", "return given")).await;
        let full = agent.request("whisper_softly", Some(&function("whisper", "return given.lower()"))).await;
        assert_eq!(full["error"]["code"], 3001, "{full}");
        assert!(full["error"]["message"].as_str().unwrap().contains("tool_creation.max_tools"), "{full}");
        let params = json!({"tools": [first], "reason": "wrong"});
        agent.ask("mgp/tools/session/evict", params).await;
        let second = agent.make("raise_voices", &function("shout", "return given.upper()")).await;
        assert_ne!(second, first, "the capability is not one of the first tool");
        assert_eq!(agent.call(&second, json!({"given": "a"})).await["content"][0]["text"], "A");
        until_some(async || agent.call(&first, json!({})).await["content"].is_null().then_some(())).await;
        until(|| events(&setup, "TOOL_REMOVED").first().is_some_and(|event| event.contains("replaced")))
            .await;
    }
}

#[tokio::test]
async fn code_that_passes_the_check_still_reaches_no_file() {
    let setup = open().await;
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret");
    std::fs::write(&secret, "the secret").unwrap();
    let mut agent = InSession::new(&setup, Era::Initialize).await;
    let reads = agent.make("show_a_file", &function("show", "return open(given).read()")).await;
    let given = json!({"given": secret.to_str().unwrap()});
    let result = agent.call(&reads, given).await;
    assert_eq!(result["isError"], true, "{result}");
    assert!(!result.to_string().contains("the secret"), "{result}");
    assert!(
        setup.calls().iter().any(|call| call.starts_with("TOOL_EXECUTED FAILURE made-")),
        "{:?}",
        setup.calls()
    );
}

#[tokio::test]
async fn a_called_tool_leaves_no_pin_and_no_approval_in_the_stores() {
    for era in ERAS {
        let setup = open().await;
        let mut agent = InSession::new(&setup, era).await;
        let name = agent.make("shout_loudly", &function("shout", "return given.upper()")).await;
        assert_eq!(agent.call(&name, json!({"given": "a"})).await["content"][0]["text"], "A");
        let pinned = setup.kernel.definitions().rows().await.unwrap();
        assert!(!pinned.is_empty() && pinned.iter().all(|pin| *pin.tool.server_id == *"test"), "{pinned:?}");
        let decided = setup.kernel.permissions().rows().await.unwrap();
        assert!(!decided.iter().any(|row| row.server_id.starts_with("made-")), "{decided:?}");
    }
}

#[tokio::test]
async fn an_agent_whose_code_does_not_end_blocks_no_other_agent() {
    let rules = PermissionPolicy::AutoApprove;
    let setup = kernel(rules, ToolCreationConfig { timeout_ms: 45_000, ..settings() }).await;
    // It takes no CPU time, which has a limit of its own.
    let endless =
        format!("import time\n{}\nwhile True:\n    time.sleep(1)\n", function("shout", "return given"));
    let mut sessions = Vec::new();
    for _ in 0..6 {
        let mut agent = InSession::new(&setup, Era::Initialize).await;
        let params = json!({
            "requirements": {"capabilities": ["shout_loudly"]},
            "creation": {"language": "python", "code": endless},
        });
        let id = agent.host.send("mgp/tools/request", params).await;
        sessions.push((agent, id));
    }
    // The approval is recorded before the load.
    let approved = || {
        let granted = events(&setup, "PERMISSION_GRANTED");
        granted.iter().filter(|event| event.contains("code_execution")).count()
    };
    until(|| approved() >= sessions.len()).await;
    let mut other = InSession::of(&setup, Era::Initialize, "agent.other").await;
    other.make("whisper_softly", &function("whisper", "return given.lower()")).await;
    assert!(events(&setup, "CODE_REJECTED").is_empty(), "none of the endless loads has ended before");
    jump(Duration::from_secs(46)).await;
    // Of the others, one may get the turn that ends here, so that its answer takes as long again.
    until(|| !events(&setup, "CODE_REJECTED").is_empty()).await;
    let mut codes = Vec::new();
    for (agent, id) in &mut sessions {
        let answer = agent.host.answer_to(*id).await;
        let advice = &answer["error"]["data"]["_mgp"];
        codes.push((answer["error"]["code"].as_i64().unwrap(), advice["retry_after_ms"].as_u64()));
    }
    codes.sort_unstable();
    assert_eq!(codes[0], (1011, None), "its load took too long: {codes:?}");
    assert_eq!(codes[5], (3001, Some(45_000)), "{codes:?}");
}
