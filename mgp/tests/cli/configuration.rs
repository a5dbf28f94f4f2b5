//! `mgp init` and `mgp trust`.

use crate::support::{User, text};

#[test]
fn nothing_is_overwritten_without_force_or_written_by_a_dry_run() {
    let user = User::new();
    user.write("list.json", &user.notes_list());
    let shown = user.run(&["init", "--from", "list.json", "--dry-run"]).succeeds();
    assert!(shown.stdout.contains("[[servers]]\nid = \"notes\"") && !user.own_configuration().exists());

    user.run(&["init", "--from", "list.json"]).succeeds();
    let first = text(&user.own_configuration());
    assert!(first.contains("[[access.grants]]\nagent = \"local\"\nserver = \"notes\""), "{first}");
    user.write("list.json", r#"{"mcpServers": {"other": {"command": "x"}}}"#);
    user.run(&["init", "--from", "list.json"]).fails_with(3);
    assert_eq!(text(&user.own_configuration()), first);
    user.run(&["init", "--from", "list.json", "--force"]).succeeds();
    assert!(text(&user.own_configuration()).contains("other"));
}

#[cfg(unix)]
#[test]
fn only_its_owner_can_read_an_imported_file() {
    use std::os::unix::fs::PermissionsExt;
    let user = User::with_notes();
    let mode = std::fs::metadata(user.own_configuration()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn the_lists_of_hosts_are_found_and_a_project_s_is_separate() {
    let user = User::new();
    user.run(&["init"]).fails_with(5);
    std::fs::create_dir_all(user.path("../home/.cursor")).unwrap();
    user.write("../home/.cursor/mcp.json", &user.notes_list());
    user.write(".mcp.json", r#"{"mcpServers": {"planted": {"command": "x"}}}"#);
    let (_, done) = user.json(&["init"]);
    assert_eq!(done["servers"], serde_json::json!(["notes"]));
    assert_eq!(done["host_configuration"]["mcpServers"]["mgp"]["args"][0], "serve");
    user.run(&["servers"]).succeeds();
}

#[test]
fn hosts_that_show_no_question_are_named() {
    let user = User::new();
    std::fs::create_dir_all(user.path("../home/.gemini")).unwrap();
    user.write("../home/.gemini/settings.json", &user.notes_list());
    let sentence = "Gemini CLI: no question can be shown there";
    let shown = user.run(&["init"]).succeeds().stdout;
    assert!(shown.contains(sentence), "{shown}");
    let (_, done) = user.json(&["init", "--force"]);
    assert!(done["remarks"].to_string().contains(sentence), "{done}");
}

#[test]
fn a_project_s_server_in_claude_code_is_imported() {
    let user = User::new();
    let project = user.path(".").canonicalize().unwrap();
    let list: serde_json::Value = serde_json::from_str(&user.notes_list()).unwrap();
    let file = serde_json::json!({ "projects": { project.to_str().unwrap(): list, "/elsewhere": list } });
    std::fs::create_dir_all(user.path("../home")).unwrap();
    user.write("../home/.claude.json", &file.to_string());
    user.write(".mcp.json", r#"{"mcpServers": {"shared": {"command": "x"}}}"#);
    let (_, done) = user.json(&["init"]);
    assert_eq!(done["servers"], serde_json::json!(["notes"]));
    let remarks = done["remarks"].to_string();
    for expected in ["run `mgp init --project` in /elsewhere", ".mcp.json belongs to this project"] {
        assert!(remarks.contains(expected), "{remarks}");
    }
    assert!(text(&user.own_configuration()).contains("cwd = "), "it runs in the folder of its project");
    user.run(&["servers"]).succeeds();
}

#[test]
fn a_server_that_claude_code_disabled_stays_disabled() {
    let user = User::new();
    let project = user.path(".").canonicalize().unwrap();
    let mut list: serde_json::Value = serde_json::from_str(&user.notes_list()).unwrap();
    let off = ["in-entry", "in-local", "in-shared"];
    for name in off {
        list["mcpServers"][name] = serde_json::json!({ "command": "no-such-program" });
    }
    let switched_off = |name: &str| serde_json::json!({ "disabledMcpjsonServers": [name] });
    let entry = serde_json::json!({ "projects": { project.to_str().unwrap(): switched_off(off[0]) } });
    for folder in ["../home", ".claude"] {
        std::fs::create_dir_all(user.path(folder)).unwrap();
    }
    user.write(".mcp.json", &list.to_string());
    user.write("../home/.claude.json", &entry.to_string());
    user.write(".claude/settings.local.json", &switched_off(off[1]).to_string());
    user.write(".claude/settings.json", &switched_off(off[2]).to_string());
    let (_, done) = user.json(&["init", "--project"]);
    let remarks: Vec<_> = done["remarks"].as_array().unwrap().iter().map(ToString::to_string).collect();
    for name in off {
        let is_named = |remark: &String| remark.contains(name) && remark.contains("has it switched off");
        assert!(remarks.iter().any(is_named), "{name}: {remarks:?}");
    }
    let (code, servers) = user.json(&["servers"]);
    let ids: Vec<_> = servers["servers"].as_array().unwrap().iter().map(|server| &server["id"]).collect();
    assert_eq!(code, 0, "{servers}");
    assert_eq!(ids, ["notes"]);
}

#[test]
fn tools_that_a_host_omits_are_omitted_and_inputs_named() {
    let user = User::new();
    let mut list: serde_json::Value = serde_json::from_str(&user.notes_list()).unwrap();
    list["mcpServers"]["notes"]["includeTools"] = serde_json::json!(["list_notes", "search_notes"]);
    list["mcpServers"]["notes"]["disabledTools"] = serde_json::json!(["search_notes"]);
    list["mcpServers"]["asks"] = serde_json::json!({"command": "x", "env": {"KEY": "${input:api-key}"}});
    user.write("list.json", &list.to_string());
    let (_, done) = user.json(&["init", "--from", "list.json"]);
    let remarks = done["remarks"].to_string();
    for expected in ["set API_KEY, which the host asks for", "asks is off until this is fixed"] {
        assert!(remarks.contains(expected), "{remarks}");
    }
    let (_, tools) = user.json(&["tools"]);
    let names: Vec<_> = tools["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["list_notes"]);
}

#[test]
fn a_project_s_file_runs_nothing_until_this_version_is_trusted() {
    let user = User::new();
    user.write("mgp.toml", "[[servers]]\nid = \"touch\"\ncommand = \"touch\"\nargs = [\"started\"]\n");
    for command in [&["servers"][..], &["tools"], &["call", "x"], &["serve"]] {
        let refused = user.run(command).fails_with(3);
        assert!(refused.stderr.contains("run `mgp trust`"), "{refused:?}");
        assert!(!user.path("started").exists());
    }
    let trusted = user.run(&["trust"]).succeeds();
    assert!(trusted.stdout.contains("touch: touch started"), "{trusted:?}");
    // It runs, though it is no server.
    user.run(&["servers"]).fails_with(1);
    assert!(user.path("started").exists());

    std::fs::remove_file(user.path("started")).unwrap();
    user.write("mgp.toml", "[[servers]]\nid = \"touch\"\ncommand = \"touch\"\nargs = [\"./started\"]\n");
    let refused = user.run(&["servers"]).fails_with(3);
    assert!(refused.stderr.contains("it changed since it was trusted"), "{refused:?}");
    user.run(&["servers", "--trust"]).fails_with(1);
    assert!(user.path("started").exists());
    user.run(&["servers"]).fails_with(3);
}

#[test]
fn a_project_s_file_cannot_vouch_for_itself_by_a_state_folder() {
    let user = User::new();
    let file = "[kernel]\nstate_dir = \"planted\"\n[[servers]]\nid = \"touch\"\ncommand = \"touch\"\nargs = [\"started\"]\n";
    user.write("mgp.toml", file);
    let mut plant = user.command(&["trust"]);
    plant.env("MGP_STATE_DIR", user.path("planted"));
    assert!(plant.output().unwrap().status.success());
    let mut servers = user.command(&["servers"]);
    servers.env_remove("MGP_STATE_DIR");
    assert_eq!(crate::support::ended(servers, "").code, 3);
    assert!(!user.path("started").exists());
}

#[test]
fn trust_can_be_shown_and_revoked() {
    let user = User::new();
    user.write("mgp.toml", "");
    user.run(&["trust"]).succeeds();
    let (_, list) = user.json(&["trust", "--list"]);
    assert!(list["trusted"][0]["file"].as_str().unwrap().ends_with("mgp.toml"));
    assert_eq!(list["trusted"][0]["sha256"].as_str().unwrap().len(), 64);
    user.run(&["trust", "--remove"]).succeeds();
    user.run(&["trust", "--remove"]).fails_with(5);
    user.run(&["servers"]).fails_with(3);
}

#[test]
fn a_project_created_by_init_is_trusted_in_that_version() {
    let user = User::new();
    user.write("list.json", &user.notes_list());
    user.run(&["init", "--from", "list.json", "--project"]).succeeds();
    user.run(&["servers"]).succeeds();
}

#[test]
#[cfg(target_os = "linux")]
fn imported_servers_are_confined_and_start() {
    let user = User::new();
    user.write("list.json", &user.notes_list());
    let (_, done) = user.json(&["init", "--from", "list.json", "--confine"]);
    assert_eq!(done["confined"], serde_json::json!(["notes"]), "{done}");
    let (file, database) = (text(&user.own_configuration()), user.path("notes.sqlite3"));
    let write = format!("write = [{:?}]", database.parent().unwrap().to_str().unwrap());
    assert!(file.contains(&format!("[servers.confinement]\nmode = \"require\"\n{write}\n")), "{file}");
    let (code, told) = user.json(&["servers"]);
    assert_eq!((code, &told["servers"][0]["confined"]), (0, &"require".into()), "{told}");
    user.run(&["call", "list_notes"]).succeeds();
    assert!(database.exists(), "it keeps its notes where it is told to");
}

#[test]
#[cfg(target_os = "linux")]
fn a_server_that_cannot_be_confined_is_imported_unconfined() {
    let user = User::new();
    let list = r#"{"mcpServers": {"box": {"command": "docker", "args": ["run", "x"]}, "far": {"url": "https://x.example"}}}"#;
    user.write("list.json", list);
    let (_, done) = user.json(&["init", "--from", "list.json", "--confine", "--dry-run"]);
    assert_eq!(done["confined"], serde_json::json!([]));
    let remarks = done["remarks"].to_string();
    for expected in ["box is not confined: it needs the socket", "far is not confined: it runs at its URL"] {
        assert!(remarks.contains(expected), "{remarks}");
    }
    assert!(!done["text"].as_str().unwrap().contains("confinement"), "{done}");
    let (_, done) = user.json(&["init", "--from", "list.json", "--dry-run"]);
    assert!(done["remarks"].to_string().contains("`mgp init --confine --force`"), "{done}");
}

#[test]
#[cfg(target_os = "linux")]
fn init_names_the_file_that_a_confined_server_may_not_use() {
    use std::os::unix::fs::PermissionsExt;
    let user = User::new();
    let hidden = user.path("hidden").canonicalize().unwrap_or_else(|_| user.path("hidden"));
    // A script that starts another program, as those of version managers do.
    user.write("shim", &format!("#!/bin/sh\nexec {}\n", hidden.display()));
    user.write("hidden", "#!/bin/sh\nexit 1\n");
    for name in ["shim", "hidden"] {
        std::fs::set_permissions(user.path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let list = serde_json::json!({ "mcpServers": { "shim": { "command": user.path("shim") } } });
    user.write("list.json", &list.to_string());
    let (_, done) = user.json(&["init", "--from", "list.json", "--confine"]);
    let remarks = done["remarks"].to_string();
    let denied = format!("may not use {}: confinement.execute opens it", hidden.display());
    assert!(remarks.contains("shim does not start confined: ") && remarks.contains(&denied), "{done}");
    assert!(!remarks.contains("it may reach no host"), "{done}");
}

#[test]
#[cfg(unix)]
fn init_names_a_program_that_does_not_exist() {
    let user = User::new();
    let list = r#"{"mcpServers": {"gone": {"command": "no-such-program"}, "far": {"command": "/no/such"}, "sh": {"command": "sh"}}}"#;
    user.write("list.json", list);
    let shown = user.run(&["init", "--from", "list.json"]).succeeds().stdout;
    for expected in [
        "gone will not start: its program no-such-program is not in PATH; install it, or name its path in command",
        "far will not start: its program /no/such does not exist",
    ] {
        assert!(shown.contains(expected), "{shown}");
    }
    assert!(!shown.contains("sh will not"), "{shown}");
}

#[test]
fn a_shell_s_home_folder_in_an_argument_is_noted_not_refused() {
    let user = User::new();
    user.write(
        "mgp.toml",
        "[[servers]]\nid = \"a\"\ncommand = \"no-such-program\"\nargs = [\"-x\", \"~/notes\"]\n",
    );
    let shown = user.run(&["--trust", "servers"]).fails_with(1);
    let expected = "server a: \"~/notes\" in args[1] is passed on as it is";
    assert!(shown.stderr.contains(expected) && shown.stderr.contains("${HOME}"), "{shown:?}");
}
