//! From another host's list to a call that was asked about, allowed, made and written down.

use crate::support::{User, text};

#[test]
fn a_list_of_another_host_becomes_a_gateway() {
    let user = User::with_notes();

    let (code, servers) = user.json(&["servers"]);
    assert_eq!((code, servers["servers"][0]["state"].as_str()), (0, Some("connected")));
    assert_eq!(servers["servers"][0]["mgp_version"], "0.3.0");

    // What needs a permission that nobody decided on is not offered.
    let (_, tools) = user.json(&["tools"]);
    let names = |tools: &serde_json::Value| -> Vec<String> {
        tools["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert!(
        names(&tools).contains(&"list_notes".to_owned()) && !names(&tools).contains(&"add_note".to_owned())
    );

    let note = r#"{"title": "first", "text": "hello"}"#;
    let refused = user.run(&["call", "add_note", note]).fails_with(4);
    assert!(
        refused.stderr.contains("needs the permission memory.write, which is not decided yet"),
        "{refused:?}"
    );
    assert!(refused.stderr.contains("waits for `mgp approve perm-"), "{refused:?}");

    let (_, open) = user.json(&["approve", "list"]);
    let id = open["permissions"][0]["request_id"].as_str().unwrap().to_owned();
    let approved = user.run(&["approve", &id]).succeeds();
    assert_eq!(approved.stdout, "notes: memory.write is approved\n");

    user.run(&["call", "add_note", note]).succeeds();
    let found = user.run(&["call", "search_notes", r#"{"text": "hello"}"#]).succeeds();
    assert!(found.stdout.contains("first"), "{found:?}");
    assert!(names(&user.json(&["tools"]).1).contains(&"add_note".to_owned()));

    let (_, audit) = user.json(&["audit", "--last", "1000"]);
    let events: Vec<_> = audit["events"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| !event["event_type"].as_str().unwrap().starts_with("SERVER_"))
        .map(|event| {
            [&event["event_type"], &event["actor"]["id"]].map(|value| value.as_str().unwrap()).join(" ")
        })
        .collect();
    assert_eq!(
        events,
        [
            "dev.cloto.mgp.CHANGE_INTENDED config",
            "ACCESS_GRANTED config",
            "dev.cloto.mgp.APPROVAL_NEEDED kernel",
            "TOOL_BLOCKED local",
            "dev.cloto.mgp.CHANGE_INTENDED ann",
            "PERMISSION_GRANTED ann",
            "TOOL_EXECUTED local",
            "TOOL_EXECUTED local",
        ]
    );
    // One list, three filters.
    let (_, one) =
        user.json(&["audit", "--agent", "ann", "--type", "permission_granted", "--server", "notes"]);
    assert_eq!(one["events"].as_array().unwrap().len(), 1);
}

#[test]
fn the_stderr_of_the_demo_s_servers_is_kept() {
    let user = User::of_demo();
    user.run(&["call", "write_file", r#"{"path": "a.txt", "text": "kept"}"#]).succeeds();
    assert_eq!(user.run(&["call", "read_file", r#"{"path": "a.txt"}"#]).succeeds().stdout, "kept\n");
}

#[test]
fn the_first_example_of_the_readme_has_the_grant_for_its_call() {
    let readme = text(concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md").as_ref());
    let (_, example) = readme.split_once("```toml\n").unwrap();
    let (configuration, behind) = example.split_once("```").unwrap();
    let (_, line) = behind.split_once("$ mgp call ").unwrap();
    let (tool, _) = line.split_once(' ').unwrap();
    let user = User::new();
    let own = user.own_configuration();
    std::fs::create_dir_all(own.parent().unwrap()).unwrap();
    std::fs::write(own, configuration).unwrap();
    // Its kernel applies the grants of the configuration, and starts no server.
    user.run(&["servers", "explain", "files"]).succeeds();
    let (code, found) = user.json(&["access", "explain", "local", "files", tool, "--rules"]);
    assert_eq!((code, &found["granted_by"]), (0, &"config".into()), "{found}");
}
