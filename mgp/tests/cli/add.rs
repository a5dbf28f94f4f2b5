//! `mgp add`: the servers of packages, URLs and registries.

use crate::{
    registry::registry,
    shell_server::SCRIPT,
    support::{CommandOutput, User, ended, text},
};
use serde_json::{Value, json};
use std::{fs, os::unix::fs::PermissionsExt};

/// Creates a user whose `npx` writes its arguments into a file, and then runs a script.
fn user(script: &str) -> User {
    let user = User::new();
    user.write("server.sh", SCRIPT);
    let (bin, started) = (user.path("bin"), user.path("started"));
    fs::create_dir(&bin).unwrap();
    let npx = format!("#!/bin/sh\necho \"$@\" >> '{}'\n{script}\n", started.display());
    fs::write(bin.join("npx"), npx).unwrap();
    fs::set_permissions(bin.join("npx"), fs::Permissions::from_mode(0o700)).unwrap();
    user
}

/// Creates a user whose `npx` runs a server with the tool `look_here`.
fn user_with_server() -> User {
    let user = user("exec sh \"${0%/bin/npx}/server.sh\" here");
    assert!(user.path("server.sh").exists());
    user
}

fn add(user: &User, args: &[&str]) -> CommandOutput {
    let mut command = user.command(&[&["add"], args].concat());
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}:{path}", user.path("bin").display()));
    ended(command, "")
}

/// Returns the arguments of each start of `npx`.
fn starts(user: &User) -> Vec<String> {
    let lines = fs::read_to_string(user.path("started")).unwrap_or_default();
    lines.lines().map(str::to_owned).collect()
}

#[test]
fn a_trial_shows_the_tools_and_writes_nothing() {
    let user = user_with_server();
    let tried = add(&user, &["npx:@example/notes", "--unconfined", "--try", "--json"]).succeeds();
    let report: Value = serde_json::from_str(&tried.stdout).unwrap();
    assert_eq!(
        (&report["written"], &report["tried"]["tools"][0]["name"]),
        (&json!(false), &json!("look_here"))
    );
    assert_eq!(starts(&user), ["-y @example/notes"]);
    assert!(!user.own_configuration().exists());
    let both = add(&user, &["npx:@example/notes", "--try", "--no-trial"]);
    assert_eq!(both.code, 2, "{both:?}");
}

#[test]
fn a_package_is_shown_and_tried_and_written() {
    let user = user_with_server();
    let args = ["npx:@example/notes@1.0.2", "--unconfined", "--yes", "--env", "NOTES_KEY=k", "--", "--quick"];
    let added = add(&user, &args).succeeds();
    let shown = added.stdout;
    assert!(shown.contains("runs: npx -y @example/notes@1.0.2 --quick"), "{shown}");
    assert!(shown.contains("it may do whatever this account may"), "{shown}");
    assert!(shown.contains("it offers one tool:") && shown.contains("look_here"), "{shown}");
    assert_eq!(starts(&user), ["-y @example/notes@1.0.2 --quick"]);
    let file: toml::Table = text(&user.own_configuration()).parse().unwrap();
    let server = &file["servers"][0];
    assert_eq!((server["id"].as_str(), server["env"]["NOTES_KEY"].as_str()), (Some("notes"), Some("k")));
    assert_eq!(file["access"]["grants"][0]["server"].as_str(), Some("notes"));
    // A second time it is there already, under whatever name.
    let again = add(&user, &args).succeeds();
    assert!(again.stdout.contains("it is there already"), "{again:?}");
    assert_eq!(text(&user.own_configuration()).parse::<toml::Table>().unwrap(), file);
}

#[test]
fn a_key_moves_into_the_store_and_a_trial_reads_it_there() {
    let user = user_with_server();
    let of = |id: &str, key: &str| {
        let key = format!("NOTES_KEY={key}");
        let args = ["npx:notes", "--unconfined", "--yes", "--secrets", "move", "--id", id, "--env", &key];
        add(&user, &args)
    };
    of("one", "k").succeeds();
    of("two", "${keyring:one.NOTES_KEY}").succeeds();
    let missing = of("three", "${keyring:three}").stderr;
    assert!(missing.contains("`mgp secrets set three`"), "{missing}");
    let file: toml::Table = text(&user.own_configuration()).parse().unwrap();
    for index in [0, 1] {
        let key = &file["servers"][index]["env"]["NOTES_KEY"];
        assert_eq!(key.as_str(), Some("${keyring:one.NOTES_KEY}"), "{index}");
    }
}

#[test]
fn a_dry_run_runs_and_writes_nothing() {
    let user = user_with_server();
    let shown = add(&user, &["npx:notes", "--dry-run"]).succeeds().stdout;
    assert!(shown.contains("runs: npx -y notes") && shown.contains("nothing was run or written"), "{shown}");
    // Without a terminal, nobody can be asked.
    let refused = add(&user, &["npx:notes"]).fails_with(2).stderr;
    assert!(refused.contains("mgp add npx:notes --dry-run"), "{refused}");
    assert!(starts(&user).is_empty() && !user.own_configuration().exists());
}

#[test]
fn a_server_that_does_not_start_is_not_written() {
    let user = user("echo 'no such package' >&2; exit 1");
    let refused = add(&user, &["npx:notes", "--unconfined", "--yes"]);
    assert_ne!(refused.code, 0);
    assert!(
        refused.stderr.contains("it does not start: ") && refused.stderr.contains("no such package"),
        "{refused:?}"
    );
    assert!(refused.stderr.contains("--no-trial writes it as it is"), "{refused:?}");
    assert!(!user.own_configuration().exists());
    let before = starts(&user);
    add(&user, &["npx:notes", "--unconfined", "--yes", "--no-trial"]).succeeds();
    assert_eq!(starts(&user), before);
    assert!(user.own_configuration().exists());
}

#[test]
fn an_entry_of_a_registry_says_which_values_it_needs() {
    let (user, url) = (user_with_server(), registry());
    let of_registry = ["com.example/notes", "--registry", &*url, "--unconfined", "--yes"];
    let refused = add(&user, &of_registry).fails_with(2);
    assert!(refused.stdout.contains("com.example/notes 1.0.2: Keeps notes"), "{refused:?}");
    assert!(refused.stderr.contains("it needs NOTES_KEY: The key (`mgp secrets set notes-key`, then --set NOTES_KEY='${keyring:notes-key}')"), "{refused:?}");
    add(&user, &[&of_registry[..], &["--env", "NOTES_KEY=k"]].concat()).succeeds();
    assert_eq!(starts(&user), ["-y @example/notes@1.0.2"]);
}

#[test]
fn a_server_at_a_url_has_the_login_of_its_user() {
    let user = user("");
    let shown = add(&user, &["https://mcp.example.com/v1/mcp", "--oauth", "--yes"]).succeeds().stdout;
    assert!(shown.contains("is reached at: https://mcp.example.com/v1/mcp"), "{shown}");
    let file: toml::Table = text(&user.own_configuration()).parse().unwrap();
    let server = &file["servers"][0];
    assert_eq!(server["id"].as_str(), Some("mcp-example-com"));
    assert!(server["auth"]["oauth"].is_table(), "{server}");
}

#[test]
fn an_unusable_name_is_refused_with_the_expected_ones() {
    let user = user("");
    for (args, expected) in [
        (&["pip:notes"][..], "expected npx:, uvx:, dnx:, docker:, https://"),
        (&["npx:../notes"], "\"../notes\" is not a valid npm package name"),
        (&["npx:github:a/b"], "is not a valid npm package name"),
        (&["uvx:notes@git+https://example.com/x"], "cannot be taken"),
        (&["docker:--privileged"], "is not a valid oci package name"),
        (&["npx:notes", "--oauth"], "--oauth is for a server at a URL"),
        (&["https://example.com/mcp", "--", "x"], "a server at a URL gets no arguments"),
        (&["npx:notes", "--env", "LD_PRELOAD=/x.so"], "makes programs run other code"),
        (&["npx:notes", "--set", "a=b"], "it has no value \"a\" to set"),
        (&["npx:notes", "--set", "A=b", "--env", "A=b"], "A is given twice"),
        (&["npx:notes", "--way", "2"], "there is no way 2: expected 1 to 1"),
    ] {
        let refused = add(&user, &[&["--yes"], args].concat());
        assert!(refused.code != 0 && refused.stderr.contains(expected), "{args:?}: {refused:?}");
    }
    assert!(starts(&user).is_empty() && !user.own_configuration().exists());
}

#[test]
fn the_result_is_one_document_as_json() {
    let user = user_with_server();
    let added = add(&user, &["npx:notes", "--json", "--unconfined", "--yes"]).succeeds();
    let document: Value = serde_json::from_str(&added.stdout).unwrap();
    assert_eq!((&document["id"], &document["written"]), (&json!("notes"), &json!(true)));
    assert_eq!(document["tried"]["tools"][0]["name"], "look_here", "{document}");
}

#[test]
fn values_of_an_entry_fill_its_variables_arguments_and_headers() {
    let (user, url) = (user_with_server(), registry());
    let shown = |args: &[&str]| {
        add(&user, &[&["com.example/tuned", "--registry", &*url, "--unconfined", "--dry-run"], args].concat())
    };
    let plain = shown(&[]).succeeds().stdout;
    assert!(plain.contains("runs: npx -y tuned --level=${LEVEL}\n"), "{plain}");
    assert!(plain.contains("needs LEVEL: one of low, high (--set level=VALUE)"), "{plain}");
    assert!(plain.contains("may get MODE: The mode (--set MODE=VALUE)"), "{plain}");
    let set = ["--set", "level=low", "--set", "MODE=fast", "--set", "size=3"];
    let filled = shown(&set).succeeds().stdout;
    assert!(
        filled.contains("runs: npx -y tuned --level=low --size=3\n  sets the variables MODE"),
        "{filled}"
    );
    assert!(!filled.contains("needs") && !filled.contains("may get"), "{filled}");
    for (way, expected) in [
        ("2", "runs: docker run -i --rm -e MODE -e OTHER docker.io/tuned"),
        ("3", "is reached at: https://eu.example.com/mcp"),
    ] {
        let values: &[&str] = match way {
            "2" => &["--set", "MODE=fast", "--env", "OTHER=1"],
            _ => &["--set", "region=eu", "--set", "X-Key=${keyring:k}"],
        };
        let shown = shown(&[&["--way", way], values].concat()).succeeds().stdout;
        assert!(shown.contains(expected), "{shown}");
    }
    // A variable never becomes an argument of the same name, which other programs can see.
    let variable = shown(&["--env", "size=3", "--set", "level=low"]).succeeds().stdout;
    assert!(variable.contains("tuned --level=low\n  sets the variables size"), "{variable}");
    for (args, expected) in [
        (&["--set", "level=mid"][..], "expected one of low, high"),
        (&["--set", "level=low", "--set", "size=x"], "expected a number"),
        (&["--set", "levle=low"], "did you mean \"level\"?"),
    ] {
        let refused = shown(args);
        assert!(refused.code != 0 && refused.stderr.contains(expected), "{args:?}: {refused:?}");
    }
    let args = ["https://a.example/mcp", "--set", "X-Key=v", "--no-trial", "--yes"];
    add(&user, &args).succeeds();
    let file: toml::Table = text(&user.own_configuration()).parse().unwrap();
    assert_eq!(file["servers"][0]["headers"]["X-Key"].as_str(), Some("v"), "{file}");
}

#[test]
fn inherited_variables_are_shown_before_the_question() {
    let user = user_with_server();
    let mut command = user.command(&["add", "npx:@acme/sentry", "--unconfined", "--dry-run"]);
    command.env("SENTRY_REGION", "eu").env("SENTRY_TOKEN", "hush");
    let shown = ended(command, "").succeeds().stdout;
    assert!(shown.contains("sentry gets SENTRY_REGION from the environment (inherit)"), "{shown}");
    assert!(shown.contains("sentry does not get SENTRY_TOKEN") && !shown.contains("hush"), "{shown}");
}
