//! The output for programs: one JSON document for each command, and completions.

use crate::support::User;

#[test]
fn every_command_prints_one_json_document() {
    let user = User::with_notes();
    for (args, code) in [
        (&["servers"][..], 0),
        (&["servers", "add", "b", "--url", "http://127.0.0.1:1"], 0),
        (&["servers", "add", "b", "--url", "http://127.0.0.1:1"], 1),
        (&["servers", "remove", "b"], 0),
        (&["servers", "remove", "b"], 5),
        (&["registry", "search", "x", "--registry", "no url"], 2),
        (&["tools"], 0),
        (&["tools", "list"], 0),
        (&["tools", "search", "notes"], 0),
        (&["tools", "show", "list_notes"], 0),
        (&["tools", "show", "nope"], 5),
        (&["tools", "spec", "list_notes"], 0),
        (&["tools", "spec", "nope"], 5),
        (&["tools", "export"], 0),
        (&["tools", "export", "--format", "openapi"], 0),
        (&["tools", "export", "--format", "manifest"], 0),
        (&["tools", "export", "--format", "json-schema"], 0),
        (&["tools", "diff", "nothing.json", "nothing.json"], 5),
        (&["keys", "new"], 0),
        (&["call", "list_notes"], 0),
        (&["call", "nope"], 5),
        (&["call", "list_notes", "{"], 2),
        (&["call", "add_note", "{}"], 4),
        (&["limits"], 0),
        (&["access", "list"], 0),
        (&["access", "grant", "a", "notes"], 0),
        (&["access", "query", "a", "notes"], 0),
        (&["access", "query", "b", "notes"], 4),
        (&["access", "revoke", "a", "notes"], 0),
        (&["access", "revoke", "a", "notes"], 5),
        (&["access", "matrix", "--server", "notes"], 0),
        (&["access", "matrix", "--server", "nope"], 5),
        (&["config", "show"], 0),
        (&["config", "check"], 2),
        (&["config", "write", "--from-stdin", "--expect", "0"], 2),
        (&["approve"], 0),
        (&["approve", "notes", "--deny"], 0),
        (&["approve", "nobody"], 5),
        (&["approve", "conf-1"], 5),
        (&["approve", "conf-1", "--show"], 5),
        (&["approve", "conf-1", "camera"], 2),
        (&["approve", "notes", "--show"], 2),
        (&["approve", "notes", "--deny", "--always"], 2),
        (&["approve", "notes", "shel"], 2),
        (&["audit"], 0),
        (&["audit", "count"], 0),
        (&["logs"], 0),
        (&["logs", "nope"], 5),
        (&["audit", "--type", "NOPE"], 2),
        (&["transactions"], 0),
        (&["transactions", "--all"], 0),
        (&["transactions", "nope"], 5),
        (&["transactions", "nope", "--all"], 2),
        (&["trust", "--list"], 0),
        (&["trust", "nothing.toml"], 5),
        (&["update"], 0),
        (&["init"], 5),
        (&["--config", "nothing.toml", "servers"], 3),
        (&["no-such-command"], 2),
        (&["call"], 2),
    ] {
        let (found, document) = user.json(args);
        assert_eq!(found, code, "{args:?}: {document}");
        if code != 0 && args[0] != "access" {
            assert_eq!(document["error"]["exit_code"], code, "{args:?}: {document}");
            assert!(document["error"]["message"].is_string(), "{args:?}: {document}");
        }
    }
}

#[test]
fn shells_can_complete_every_command() {
    let user = User::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = user.run(&["completions", shell]).succeeds().stdout;
        for command in ["serve", "approve", "completions"] {
            assert!(script.contains(command), "{shell} lacks {command}");
        }
    }
    user.run(&["completions", "cmd"]).fails_with(2);
}

#[test]
fn a_reader_that_disconnects_is_not_an_error() {
    let user = User::new();
    let mut command = user.command(&["completions", "bash"]);
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn the_page_about_the_program_is_complete() {
    let user = User::new();
    let page = include_str!("../../../docs/cli.md");
    let section = |title: &str| {
        let (_, rest) =
            page.split_once(&format!("\n## {title}\n")).unwrap_or_else(|| panic!("no section {title}"));
        rest.split("\n## ").next().unwrap().to_owned()
    };
    let help = user.run(&["--help"]).succeeds().stdout;
    let paragraph = |text: &str, title: &str| text.split(title).nth(1).unwrap().to_owned();
    for line in paragraph(&help, "Exit codes:\n").lines() {
        let (code, meaning) = line.trim().split_once("  ").unwrap();
        assert!(section("Exit codes").contains(&format!("| {code} | {meaning} |")), "{line}");
    }
    let every = paragraph(&help, "Options of every command:");
    let shared = long_options(every.split("Exit codes:").next().unwrap());
    for option in &shared {
        assert!(section("Options of every command").contains(option.as_str()), "{option}");
    }
    let commands = paragraph(&help, "Commands:\n");
    let commands = commands
        .lines()
        .take_while(|line| !line.is_empty())
        .map(|line| line.split_whitespace().next().unwrap());
    for command in commands.filter(|command| *command != "help") {
        let text = section(&format!("`mgp {command}`"));
        let mut pages = vec![user.run(&["help", command]).succeeds().stdout];
        for inner in [
            "list", "search", "show", "grant", "revoke", "roles", "explain", "matrix", "add", "remove",
            "new", "count", "check", "write",
        ] {
            let help = user.run(&["help", command, inner]);
            if help.code == 0 {
                assert!(text.contains(inner), "{command} {inner}");
                pages.push(help.stdout);
            }
        }
        for option in
            pages.iter().flat_map(|page| long_options(page)).filter(|option| !shared.contains(option))
        {
            assert!(text.contains(&option), "{command}: {option}");
        }
    }
}

/// Returns the options that a page of help explains.
fn long_options(help: &str) -> Vec<String> {
    let explained = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let names = explained.filter_map(|line| line.split([' ', ',', '.']).find(|word| word.starts_with("--")));
    names.filter(|name| !["--help", "--version"].contains(name)).map(str::to_owned).collect()
}
