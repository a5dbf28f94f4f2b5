//! Code becomes a tool of its agent's session.

use super::support::{InSession, WORDS, events, function, open, open_in_full};
use crate::{
    raw_host::{As, ERAS},
    support::{server_rule, until},
};
use mgp_kernel::Era;
use serde_json::{Value, json};

#[tokio::test]
async fn code_becomes_a_tool_that_is_listed_found_called_and_recorded() {
    for era in ERAS {
        let setup = open().await;
        let mut agent = InSession::new(&setup, era).await;
        let answer = agent.request("histogram_of_word_lengths", None).await["result"].clone();
        assert_eq!(answer["status"], "creating", "{answer}");
        let terms = &answer["_mgp"]["creation"];
        assert_eq!((&terms["languages"], &terms["level"]), (&json!(["python"]), &json!("strict")));
        assert!(terms["allowed_imports"].as_array().unwrap().contains(&json!("re")), "{terms}");

        let name = agent.make("histogram_of_word_lengths", WORDS).await;
        assert!(name.starts_with("made_word_lengths_"), "{name}");
        let result = agent.call(&name, json!({"text": "a bc de", "least": 2})).await;
        assert_eq!(result["structuredContent"], json!({"2": 2}), "{result}");
        assert!(agent.finds("histogram of word lengths").await.contains(&name));
        let again = agent.request("histogram_of_word_lengths", None).await;
        assert_eq!(again["result"]["tools_loaded"][0]["name"], name, "{again}");

        let wrong = agent.call(&name, json!({"words": 1})).await;
        assert!(wrong.to_string().contains("text"), "{wrong}");
        let session = agent.ask("mgp/tools/session", json!({})).await;
        assert!(session["result"]["cached"].as_array().unwrap().contains(&json!(name)), "{session}");
        if era == Era::Initialize {
            agent.host.hear("notifications/tools/list_changed").await;
            let list = agent.host.get("tools/list", json!({})).await;
            let listed = list["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == name.as_str());
            assert_eq!(listed.unwrap()["inputSchema"]["required"], json!(["text"]), "{list}");
        } else {
            agent.host.settle().await;
            assert_eq!(agent.host.count("notifications/tools/list_changed"), 0, "its list has no such tool");
        }
        let events: Vec<_> = setup.sink.events().iter().map(|event| event.event_type.to_string()).collect();
        let position = |name: &str| {
            events.iter().position(|event| event == name).unwrap_or_else(|| panic!("{name}: {events:?}"))
        };
        assert!(position("PERMISSION_GRANTED") < position("dev.cloto.mgp.TOOL_CREATED"));
        assert!(position("dev.cloto.mgp.TOOL_CREATED") < position("dev.cloto.mgp.TOOL_DISPATCHED"));
        assert!(position("dev.cloto.mgp.TOOL_DISPATCHED") < position("TOOL_EXECUTED"));
        let created = &setup.sink.events()[position("dev.cloto.mgp.TOOL_CREATED")];
        let details = created.details.clone().unwrap();
        assert_eq!(details.text("code_sha256").unwrap().len(), 64);
        assert!(!details.to_json().as_str().contains("word lengths of"), "{details:?}");
    }
}

#[tokio::test]
async fn a_model_creates_a_tool_and_fixes_its_code_by_the_meta_tools() {
    for era in ERAS {
        let setup = open().await;
        let mut host = setup.raw_host(As::mgp(era)).await;
        let list = host.get("tools/list", json!({})).await;
        let request =
            list["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "mgp_tools_request");
        assert!(request.unwrap()["inputSchema"]["properties"]["creation"].is_object(), "{list}");
        let mut arguments = json!({"requirements": {"capabilities": ["shout_loudly"]}});
        let answer = host.call("mgp_tools_request", arguments.clone()).await;
        assert_eq!(answer["structuredContent"]["status"], "creating", "{answer}");
        let session = answer["structuredContent"]["_mgp"]["session"].clone();
        arguments["session"] = session.clone();
        arguments["creation"] =
            json!({"language": "python", "code": function("shout", "return exec(given)")});
        let rejected = host.call("mgp_tools_request", arguments.clone()).await;
        assert_eq!(rejected["isError"], true);
        let text: Value = serde_json::from_str(rejected["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!((&text["status"], &text["code"]), (&json!("rejected"), &json!(1011)), "{rejected}");
        arguments["creation"]["code"] = json!(function("shout", "return given.upper()"));
        let made = host.call("mgp_tools_request", arguments).await;
        let name = &made["structuredContent"]["tools_loaded"][0]["name"];
        let call = json!({"name": name, "arguments": {"given": "ho"}, "session": session});
        assert_eq!(host.text("mgp_tools_call", call).await, "HO");
    }
}

#[tokio::test]
async fn the_agent_is_notified_that_its_code_was_approved() {
    let setup = open_in_full().await;
    let mut agent = InSession::new(&setup, Era::Initialize).await;
    let mut other = InSession::of(&setup, Era::Initialize, "agent.other").await;
    for host in [&mut agent, &mut other] {
        host.host.after_start().await;
        host.ask("mgp/events/subscribe", json!({"channels": ["security.approval_decided"]})).await;
    }
    let name = agent.make("shout_loudly", &function("shout", "return given.upper()")).await;
    let event = agent.host.hear("notifications/mgp.event").await;
    let data = &event["params"]["data"];
    assert_eq!(
        (&data["event_type"], &data["agent_id"]),
        (&json!("PERMISSION_GRANTED"), &json!("agent.test"))
    );
    assert_eq!(agent.call(&name, json!({"given": "a"})).await["content"][0]["text"], "A");
    agent.host.settle().await;
    assert_eq!(agent.host.count("notifications/mgp.event"), 0, "once for the tool, not for its first call");
    drop(agent);
    until(|| setup.kernel.servers().len() == 1 && !events(&setup, "TOOL_REMOVED").is_empty()).await;
    other.host.settle().await;
    assert_eq!(other.host.count("notifications/mgp.event"), 0);
    let heard = "notifications/tools/list_changed";
    assert_eq!(other.host.count(heard), 0, "what is not theirs does not change for them");
    setup.kernel.access().put(server_rule("agent.other", "test")).await.unwrap();
    other.host.hear(heard).await;
}

#[tokio::test]
async fn a_call_that_requests_a_task_is_answered() {
    let setup = open().await;
    let mut agent = InSession::new(&setup, Era::Initialize).await;
    let name = agent.make("shout_loudly", &function("shout", "return given.upper()")).await;
    let call = json!({"name": name, "arguments": {"given": "a"}, "task": {"ttl": 60_000}});
    let answer = agent.ask("tools/call", call).await;
    assert_eq!(answer["result"]["content"][0]["text"], "A", "{answer}");
}
