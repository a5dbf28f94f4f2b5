//! Tools that wait for a permission: everybody who looks for them is told what they wait for.

use crate::support::{User, text};
use serde_json::{Value, json};
use xtask_testing::block_until_some;

/// A user whose notes need a permission that nobody has decided on.
fn user() -> User {
    let user = User::with_notes();
    let own = user.own_configuration();
    let file = format!("{}\n[servers.mgp]\npermissions_required = [\"filesystem.write\"]\n", text(&own));
    std::fs::write(&own, file).unwrap();
    user
}

/// The id of the only open question about a permission.
fn question(user: &User, permission: &str) -> String {
    let (_, open) = user.json(&["approve"]);
    let rows = open["permissions"].as_array().unwrap().clone();
    let row = rows.iter().find(|row| row["permission"] == permission).unwrap_or_else(|| panic!("{open}"));
    row["request_id"].as_str().unwrap().to_owned()
}

#[test]
fn the_commands_name_the_waiting_tools_and_their_approval() {
    let user = user();
    for args in [&["servers"][..], &["tools"], &["tools", "search", "find a note"]] {
        let ended = user.run(args).succeeds();
        let id = question(&user, "filesystem.write");
        let four = format!("of `notes` wait for the permission filesystem.write: `mgp approve {id}`");
        assert!(ended.stderr.contains(&four), "{args:?}: {ended:?}");
        assert!(!ended.stderr.contains("may call nothing"), "{args:?}: {ended:?}");
    }
    let (_, servers) = user.json(&["servers"]);
    let (_, tools) = user.json(&["tools"]);
    let (_, found) = user.json(&["tools", "search", "find a note"]);
    let id = question(&user, "filesystem.write");
    for waiting in [&servers["waiting"], &tools["waiting"], &found["_mgp"]["waiting"]] {
        let group = waiting
            .as_array()
            .unwrap()
            .iter()
            .find(|group| group["permissions"].as_array().unwrap().len() == 1);
        let expected = json!([{"permission": "filesystem.write", "request_id": id, "state": "deferred"}]);
        assert_eq!(group.unwrap()["permissions"], expected, "{waiting}");
    }
    user.run(&["approve", &id]).succeeds();
    let ended = user.run(&["tools"]).succeeds();
    assert!(ended.stdout.contains("list_notes") && !ended.stderr.contains("filesystem.write"), "{ended:?}");
}

#[test]
fn an_agent_without_grants_reads_how_to_get_one() {
    let user = user();
    let ended = user.run(&["--agent", "stranger", "tools"]).succeeds();
    assert!(ended.stderr.contains("agent \"stranger\" may call nothing"), "{ended:?}");
    assert!(ended.stderr.contains("`mgp access grant stranger SERVER`"), "{ended:?}");
    assert!(!ended.stderr.contains("filesystem.write"), "{ended:?}");
}

#[test]
fn a_model_without_results_reads_why_its_tools_wait() {
    let user = user();
    let mut host = user.serve(&[]);
    host.call(2, "mgp_tools_discover", &json!({ "query": "find a note" }));
    let result = host.reply(2)["result"].clone();
    let found = &result["structuredContent"];
    assert_eq!(found["tools"], json!([]));
    let id = question(&user, "filesystem.write");
    let hint = format!("of `notes` wait for the permission filesystem.write: `mgp approve {id}`");
    let hints = found["_mgp"]["hints"].as_array().unwrap();
    assert!(hints.iter().any(|said| said.as_str().unwrap().contains(&hint)), "{found}");
    let read: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(&read, found, "what a model reads is what a program reads");
    user.run(&["approve", &id]).succeeds();
    let mut request = 2;
    let tools = block_until_some(|| {
        request += 1;
        host.call(request, "mgp_tools_discover", &json!({ "query": "find a note" }));
        let tools = host.reply(request)["result"]["structuredContent"]["tools"].clone();
        (!tools.as_array().unwrap().is_empty()).then_some(tools)
    });
    assert_eq!(tools[0]["name"], "search_notes");
}
