//! Secrets outside of the configuration: their store, files and commands, and the keys that move there.

use crate::support::{CommandOutput, User, ended, text};
use mgp_store::secrets::SecretStore;
use serde_json::{Value, json};
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// The text that every planted secret holds.
const CANARY: &str = "c4n4ry";

/// Returns a secret that looks like a key.
fn planted(way: &str) -> String {
    format!("{CANARY}-{way}-x7Qd2LwZ9rTb4NcV8sKf1JhG5mYp3AeU6oRi")
}

/// Writes a file with a mode.
fn file(path: &Path, content: &str, mode: u32) {
    fs::write(path, content).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Returns the files in a folder that hold a text.
fn files_with(folder: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            found.extend(files_with(&path, text));
        } else if fs::read(&path).is_ok_and(|all| all.windows(text.len()).any(|part| part == text.as_bytes()))
        {
            found.push(path);
        }
    }
    found
}

/// Returns the table of a server that writes its environment to a file, and then is the notes of the demo.
fn notes(id: &str, seen: &Path, env: &str) -> String {
    let program = env!("CARGO_BIN_EXE_mgp");
    let script =
        format!("env > '{}'; exec '{program}' embedded-server notes --db {id}.sqlite3", seen.display());
    format!(
        "[[servers]]\nid = \"{id}\"\ncommand = \"sh\"\nargs = [\"-c\", {script:?}]\n[servers.env]\n{env}\n"
    )
}

fn own(user: &User, text: &str) {
    let own = user.own_configuration();
    fs::create_dir_all(own.parent().unwrap()).unwrap();
    fs::write(own, text).unwrap();
}

fn reason(servers: &Value, id: &str) -> String {
    let row = servers["servers"].as_array().unwrap().iter().find(|row| row["id"] == id).unwrap();
    row["reason"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn no_planted_secret_is_in_a_file_or_an_output() {
    let (user, outside) = (User::new(), tempfile::tempdir().unwrap());
    let at = |name: &str| outside.path().join(name);
    let mut outputs: Vec<CommandOutput> = Vec::new();
    outputs
        .push(user.run_with(&["secrets", "set", "stored"], &format!("{}\n", planted("keyring"))).succeeds());
    file(&at("file"), &planted("file"), 0o600);
    file(&at("vault"), &format!("#!/bin/sh\necho '{}'\n", planted("command")), 0o700);
    file(
        &at("locked"),
        &format!("#!/bin/sh\necho '{}'; echo 'is locked' >&2; exit 1\n", planted("locked")),
        0o700,
    );
    let env = format!(
        "A = \"${{keyring:stored}}\"\nB = \"${{file:{}}}\"\nC = \"x ${{command:{}}}\"",
        at("file").display(),
        at("vault").display()
    );
    let unreachable = "[[servers]]\nid = \"web\"\nurl = \"http://127.0.0.1:9/mcp?key=${keyring:stored}\"\n\
        headers = { X-Key = \"${keyring:stored}\" }\n[servers.auth]\nbearer = \"${keyring:stored}\"\n\
        [[servers]]\nid = \"login\"\nurl = \"http://127.0.0.1:9/mcp\"\n[servers.auth]\noauth = {}\n";
    let locked = notes("locked", &at("never"), &format!("A = \"${{command:{}}}\"", at("locked").display()));
    let grants = "[[access.grants]]\nagent = \"local\"\nserver = \"sees\"\n";
    own(&user, &format!("{grants}{}{unreachable}{locked}", notes("sees", &at("seen"), &env)));
    // Tokens of an earlier version.
    let state = user.own_configuration().ancestors().nth(4).unwrap().join("state");
    let client =
        json!({ "origin": "registration", "id": "c", "secret": planted("client"), "method": "none" });
    let grant = json!({
        "issuer": "https://as.example", "token_endpoint": "https://as.example/token", "resource": null, "client": client,
        "scopes": [], "tokens": { "access": planted("oauth"), "refresh": planted("refresh") },
    });
    let tokens = json!({ "version": 1, "servers": { "http://127.0.0.1:9/mcp": grant } });
    file(&state.join("oauth.json"), &tokens.to_string(), 0o600);

    for args in [
        &["-vv", "servers"][..],
        &["--json", "servers"],
        &["servers", "explain", "locked"],
        &["-vv", "call", "sees", "list_notes"],
        &["secrets", "list"],
        &["--json", "secrets", "list"],
        &["audit"],
    ] {
        let mut command = user.command(args);
        command.env("RUST_LOG", "trace");
        outputs.push(ended(command, ""));
    }
    let seen = text(&at("seen"));
    for line in [
        format!("A={}", planted("keyring")),
        format!("B={}", planted("file")),
        format!("C=x {}", planted("command")),
    ] {
        assert!(seen.lines().any(|seen| seen == line), "{line}: {seen}");
    }
    assert!(!state.join("oauth.json").exists(), "the tokens were not moved");
    let list = user.run(&["secrets", "list"]);
    assert!(list.stdout.contains("oauth:http://127.0.0.1:9/mcp"), "{list:?}");

    // A host's file whose keys move.
    let cursor = user.home(".cursor/mcp.json");
    fs::create_dir_all(cursor.parent().unwrap()).unwrap();
    let server =
        json!({ "command": "sh", "args": ["-c", "exit 1"], "env": { "API_KEY": planted("connect") } });
    let original = json!({ "mcpServers": { "host": server } }).to_string();
    fs::write(&cursor, &original).unwrap();
    outputs.push(user.run(&["connect", "cursor", "--dry-run", "--secrets", "move"]).succeeds());
    outputs.push(user.run(&["connect", "cursor", "--yes", "--secrets", "move"]).succeeds());
    assert!(text(&user.own_configuration()).contains("API_KEY = \"${keyring:host.API_KEY}\""));
    outputs.push(user.run(&["-vv", "servers"]));

    let folder = state.parent().unwrap();
    assert_eq!(files_with(folder, CANARY), Vec::<PathBuf>::new());
    for output in &outputs {
        assert!(!output.stdout.contains(CANARY) && !output.stderr.contains(CANARY), "{output:?}");
    }
    assert!(outputs.iter().any(|output| output.stdout.contains("is locked")), "{outputs:?}");
    outputs.push(user.run(&["disconnect", "cursor", "--yes"]).succeeds());
    assert_eq!(text(&cursor), original);
}

#[test]
fn a_server_without_its_secret_is_off_and_the_remedy_named() {
    let (user, outside) = (User::new(), tempfile::tempdir().unwrap());
    let at = |name: &str| outside.path().join(name);
    file(&at("open"), "x", 0o644);
    let of = |source: &str| format!("A = \"{source}\"");
    let servers = [
        notes("good", &at("good"), ""),
        notes("unset", &at("no"), &of("${keyring:nobody}")),
        notes("absent", &at("no"), &of(&format!("${{file:{}}}", at("missing").display()))),
        notes("open", &at("no"), &of(&format!("${{file:{}}}", at("open").display()))),
        notes("program", &at("no"), &of("${command:no-such-vault read x}")),
    ];
    let grants = "[[access.grants]]\nagent = \"local\"\nserver = \"unset\"\n";
    own(&user, &format!("{grants}{}", servers.concat()));
    let (_, found) = user.json(&["servers"]);
    assert_eq!(found["servers"][0]["state"], "connected");
    for (id, parts) in [
        ("unset", ["env.A: no secret \"nobody\"", "`mgp secrets set nobody`"]),
        ("absent", ["env.A: there is no file", "make it"]),
        ("open", ["env.A: failed to read the secret", "chmod 600"]),
        ("program", ["env.A: failed to start \"no-such-vault\"", "`mgp servers start program`"]),
    ] {
        let reason = reason(&found, id);
        assert!(parts.iter().all(|part| reason.contains(part)), "{id}: {reason}");
    }
    assert!(!at("no").exists());
    let (mut host, greeting) = user.greeted(user.command(&["serve"]));
    let told = greeting["result"]["instructions"].as_str().unwrap();
    assert!(told.contains("`unset` (off: env.A: no secret \"nobody\" is stored: "), "{told}");
    host.close();
    assert_eq!(host.end(), 0);
    let (_, list) = user.json(&["secrets", "list"]);
    assert_eq!(list["secrets"], json!([{ "name": "nobody", "stored": false, "used_by": ["unset"] }]));
    user.run_with(&["secrets", "set", "nobody"], "now\n").succeeds();
    let (_, found) = user.json(&["servers"]);
    assert_eq!(reason(&found, "unset"), "");
    assert!(text(&at("no")).lines().any(|line| line == "A=now"));
}

#[test]
fn a_command_runs_once_for_a_start_and_for_no_other_command() {
    let (user, outside) = (User::new(), tempfile::tempdir().unwrap());
    let at = |name: &str| outside.path().join(name);
    file(&at("vault"), &format!("#!/bin/sh\necho run >> '{}'\necho secret\n", at("runs").display()), 0o700);
    let vault = format!("${{command:{} read 'a b'}}", at("vault").display());
    own(&user, &notes("a", &at("seen"), &format!("A = {vault:?}\nB = {vault:?}")));
    for args in [&["status"][..], &["secrets", "list"], &["access", "list"], &["approve"]] {
        user.run(args);
    }
    assert!(!at("runs").exists());
    user.run(&["servers"]).succeeds();
    assert_eq!(text(&at("runs")), "run\n");
}

#[test]
fn a_project_s_file_runs_no_command_for_a_secret() {
    let (user, outside) = (User::new(), tempfile::tempdir().unwrap());
    let at = |name: &str| outside.path().join(name);
    let env = format!("A = \"${{command:touch {}}}\"", at("ran").display());
    user.write("mgp.toml", &notes("a", &at("seen"), &env));
    let trusted = user.run(&["trust"]).succeeds();
    assert!(trusted.stdout.contains("env.A = ${command:touch"), "{trusted:?}");
    let (_, found) = user.json(&["servers"]);
    let reason = reason(&found, "a");
    assert!(
        reason.contains("env.A: ${command:touch}") && reason.contains("`mgp secrets set NAME`"),
        "{reason}"
    );
    assert!(!at("ran").exists() && !at("seen").exists());
}

#[test]
fn import_moves_keys_and_leaves_the_rest_of_the_file() {
    let user = User::new();
    let key = planted("import");
    let before = format!(
        "# mine\n[[servers]]\nid = 'web' # é\nurl = \"https://a.example/mcp\"\nheaders = {{ Authorization = 'Bearer {key}', X-Other = \"1\" }}\n\n\
         [[servers]]\nid = \"off\"\ncommand = \"x\"\ndisabled = true\nenv = {{ API_TOKEN = \"{key}\", MODE = \"fast\" }}\n"
    );
    own(&user, &before);
    user.run(&["secrets", "import"]).fails_with(2);
    let shown = user.run(&["secrets", "import", "--dry-run"]).succeeds();
    assert!(shown.stdout.contains("web: headers.Authorization = Bearer c4n***"), "{shown:?}");
    assert!(!shown.stdout.contains(&key) && text(&user.own_configuration()) == before);
    let done = user.run(&["secrets", "import", "--yes"]).succeeds();
    assert!(done.stdout.contains("moved 2 keys") && !done.stdout.contains(&key), "{done:?}");
    let expected = before
        .replace(&format!("'Bearer {key}'"), "\"Bearer ${keyring:web.Authorization}\"")
        .replace(&format!("\"{key}\""), "\"${keyring:off.API_TOKEN}\"");
    assert_eq!(text(&user.own_configuration()), expected);
    let (_, list) = user.json(&["secrets", "list"]);
    assert_eq!(
        list["secrets"][0]["used_by"],
        json!(["off"]),
        "a disabled server may be enabled again: {list}"
    );
    let again = user.run(&["secrets", "import", "--yes"]).succeeds();
    assert!(again.stdout.contains("no value in"), "{again:?}");
    let removed = user.run(&["secrets", "remove", "web.Authorization"]).succeeds();
    assert!(removed.stderr.contains("do not start again: web"), "{removed:?}");
    let missing = user.run(&["secrets", "remove", "off.API_TOKE"]).fails_with(5);
    assert!(missing.stderr.contains("did you mean \"off.API_TOKEN\"?"), "{missing:?}");
    let trail = user.run(&["audit", "--json"]).stdout;
    assert!(trail.contains("SECRET_STORED") && trail.contains("SECRET_REMOVED"), "{trail}");
    assert!(trail.contains("off.API_TOKEN") && !trail.contains(CANARY), "{trail}");
    user.run_with(&["secrets", "set", "empty"], "\n").fails_with(2);
    user.run_with(&["secrets", "set", "long"], &"x".repeat(40_000)).fails_with(2);
}

#[test]
fn equal_servers_of_two_hosts_are_one_after_their_keys_moved() {
    let user = User::new();
    let server = json!({ "command": "sh", "args": ["-c", "exit 1"], "env": { "API_KEY": planted("host") } });
    let list = json!({ "mcpServers": { "tool": server } }).to_string();
    for host in [".cursor/mcp.json", ".codeium/windsurf/mcp_config.json"] {
        let path = user.home(host);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &list).unwrap();
    }
    let kept = user.run(&["connect", "cursor", "--yes"]).succeeds();
    assert!(
        kept.stdout.contains("1 value looks like a key and stays in the file (tool.API_KEY)"),
        "{kept:?}"
    );
    assert!(text(&user.own_configuration()).contains(CANARY));
    user.run(&["secrets", "import", "--yes"]).succeeds();
    let moved = user.run(&["connect", "windsurf", "--yes", "--secrets", "move"]).succeeds();
    assert!(!moved.stdout.contains("tool-2"), "{moved:?}");
    assert_eq!(text(&user.own_configuration()).matches("[[servers]]").count(), 1);
}

#[test]
fn the_backup_of_a_later_host_holds_no_stored_key() {
    let user = User::new();
    let server = json!({ "command": "sh", "args": ["-c", "exit 1"], "env": { "API_KEY": planted("both") } });
    let list = json!({ "mcpServers": { "tool": server } }).to_string();
    let files = [user.home(".cursor/mcp.json"), user.home(".codeium/windsurf/mcp_config.json")];
    for path in &files {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &list).unwrap();
    }
    user.run(&["connect", "cursor", "--yes", "--secrets", "move"]).succeeds();
    user.run(&["connect", "windsurf", "--yes"]).succeeds();
    let state = user.home("../state");
    assert_eq!(fs::read_dir(state.join("connect")).unwrap().count(), 4);
    assert_eq!(files_with(&state, CANARY), Vec::<PathBuf>::new());
    user.run(&["disconnect", "--yes"]).succeeds();
    assert!(files.iter().all(|path| text(path) == list));
}

#[test]
fn a_server_with_an_unusable_name_or_value_stores_no_key() {
    for (name, value, expected) in [
        ("A=TOKEN", planted("name"), "env.\"A=TOKEN\": "),
        ("", planted("empty"), "env.\"\": "),
        ("API_KEY", format!("{CANARY}\0{}", planted("value")), "env.API_KEY: holds a NUL character"),
    ] {
        let user = User::new();
        let server = json!({ "command": "sh", "env": { name: value } });
        let list = json!({ "mcpServers": { "tool": server } }).to_string();
        let cursor = user.home(".cursor/mcp.json");
        fs::create_dir_all(cursor.parent().unwrap()).unwrap();
        fs::write(&cursor, &list).unwrap();
        for before in [None, Some("[kernel]\nagent = \"ann\"\n")] {
            if let Some(before) = before {
                own(&user, before);
            }
            let refused = user.run(&["connect", "--yes", "--secrets", "move"]).fails_with(3);
            let (parts, shown) = (["the server \"tool\" cannot be used: ", expected], &refused.stderr);
            assert!(parts.iter().all(|part| shown.contains(part)) && !shown.contains(CANARY), "{shown}");
            assert_eq!(text(&cursor), list);
            assert_eq!(fs::read_to_string(user.own_configuration()).ok().as_deref(), before);
        }
        assert_eq!(user.json(&["secrets", "list"]).1["secrets"], json!([]));
    }
}

#[test]
fn moved_keys_are_in_the_audit_trail() {
    let list = |id: &str| {
        let server = json!({ "command": "sh", "env": { "API_KEY": planted(id) } });
        json!({ "mcpServers": { id: server } }).to_string()
    };
    let user = User::new();
    user.write("list.json", &list("first"));
    user.run(&["init", "--from", "list.json", "--secrets", "move"]).succeeds();
    let cursor = user.home(".cursor/mcp.json");
    fs::create_dir_all(cursor.parent().unwrap()).unwrap();
    fs::write(&cursor, list("second")).unwrap();
    user.run(&["connect", "--yes", "--secrets", "move"]).succeeds();
    let key = format!("API_KEY={}", planted("third"));
    let add = ["add", "npx:third", "--env", &key, "--no-trial", "--yes", "--secrets", "move"];
    user.run(&add).succeeds();
    let trail = user.run(&["audit", "--json"]).stdout;
    for id in ["first", "second", "third"] {
        assert!(trail.contains(&format!("{id}.API_KEY")), "{id}: {trail}");
    }
    assert!(trail.matches("SECRET_STORED").count() == 3 && !trail.contains(CANARY), "{trail}");
}

#[test]
fn a_stored_text_that_cannot_be_used_is_named_with_the_command() {
    let (user, outside) = (User::new(), tempfile::tempdir().unwrap());
    let seen = outside.path().join("seen");
    // Earlier versions stored any text.
    let store = SecretStore::in_folder(&user.home("../state"));
    fs::create_dir_all(user.home("../state")).unwrap();
    let texts = [("nul", "a\0b".to_owned()), ("empty", String::new()), ("long", "x".repeat(40_000))];
    store.change(|all| all.extend(texts.map(|(name, text)| (name.to_owned(), text)))).unwrap();
    let table = |id: &str| notes(id, &seen, &format!("A = \"${{keyring:{id}}}\""));
    own(&user, &["nul", "empty", "long"].map(table).concat());
    let (_, found) = user.json(&["servers"]);
    for (id, problem) in [("nul", "holds a NUL"), ("empty", "is empty"), ("long", "is too long")] {
        let reason = reason(&found, id);
        let expected = format!("env.A: the stored secret {id:?} {problem}");
        assert!(
            reason.contains(&expected) && reason.contains(&format!("`mgp secrets set {id}`")),
            "{reason}"
        );
    }
    assert!(!seen.exists());
    own(&user, &notes("name", &seen, "A = \"${keyring:a b}\""));
    let refused = user.run(&["servers"]).fails_with(3);
    assert!(refused.stderr.contains("\"a b\" is not the name"), "{refused:?}");
    let words: Vec<_> = refused.stderr.split_whitespace().filter(|word| *word != "│").collect();
    assert!(words.join(" ").contains("`mgp secrets set NAME`"), "{refused:?}");
}

#[test]
fn init_moves_keys_only_if_asked() {
    let user = User::new();
    let server = json!({ "url": "https://a.example/mcp", "headers": { "Authorization": planted("init") } });
    user.write("list.json", &json!({ "mcpServers": { "web": server } }).to_string());
    let shown = user.run(&["init", "--from", "list.json", "--dry-run", "--secrets", "move"]).succeeds();
    assert!(
        shown.stdout.contains("${keyring:web.Authorization}") && !shown.stdout.contains(CANARY),
        "{shown:?}"
    );
    let (_, list) = user.json(&["secrets", "list"]);
    assert_eq!(list["secrets"], json!([]), "a dry run stores nothing");
    let kept = user.run(&["init", "--from", "list.json"]).succeeds();
    assert!(kept.stdout.contains("`mgp secrets import` moves keys"), "{kept:?}");
    assert!(text(&user.own_configuration()).contains(CANARY));
    user.run(&["init", "--from", "list.json", "--force", "--secrets", "move"]).succeeds();
    assert!(!text(&user.own_configuration()).contains(CANARY));
}
