//! `mgp registry`, against a registry of a few made-up servers on this machine.

use crate::support::User;
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    thread,
};

/// Answers each request by the beginning of its path; 404 for the others.
fn serve(answers: Vec<(&'static str, Value)>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
            let line = head.next().unwrap_or_default();
            head.by_ref().find(String::is_empty);
            let path = line.split(' ').nth(1).unwrap_or_default();
            let found = answers.iter().find(|(start, _)| path.starts_with(start));
            let (status, body) =
                found.map_or(("404 Not Found", "{}".to_owned()), |(_, body)| ("200 OK", body.to_string()));
            let length = body.len();
            let _ = write!(
                stream,
                "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
            );
        }
    });
    url
}

fn notes() -> Value {
    json!({"server": {
        "name": "com.example/notes", "title": "Notes", "description": "Keeps notes\u{1b}[2J", "version": "1.0.2",
        "packages": [
            {"registryType": "mcpb", "identifier": "https://example.com/notes.mcpb"},
            {"registryType": "npm", "identifier": "@example/notes", "version": "1.0.2", "transport": {"type": "stdio"},
             "environmentVariables": [{"name": "NOTES_KEY", "description": "The key", "isRequired": true, "isSecret": true}]},
        ],
        "remotes": [{"type": "streamable-http", "url": "https://notes.example.com/mcp"}],
    }})
}

pub(crate) fn registry() -> String {
    let other =
        json!({"server": {"name": "com.example/notebook", "description": "Paper", "version": "3.0.0"}});
    let gone = json!({
        "server": {"name": "com.example/gone", "packages": [{"registryType": "npm", "identifier": "gone"}]},
        "_meta": {"io.modelcontextprotocol.registry/official": {"status": "deleted"}},
    });
    let input = |name: &str, more: Value| {
        let mut input = json!({"name": name});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        input
    };
    let mode = input("MODE", json!({"description": "The mode"}));
    let tuned = json!({"server": {
        "name": "com.example/tuned",
        "packages": [
            {"registryType": "npm", "identifier": "tuned", "environmentVariables": [mode], "packageArguments": [
                input("--level", json!({"type": "named", "isRequired": true, "choices": ["low", "high"]})),
                input("--size", json!({"type": "named", "format": "number", "description": "The size"})),
            ]},
            {"registryType": "oci", "identifier": "docker.io/tuned", "environmentVariables": [mode]},
        ],
        "remotes": [{
            "type": "streamable-http", "url": "https://{region}.example.com/mcp", "variables": {"region": {}},
            "headers": [input("X-Key", json!({"isRequired": true, "isSecret": true}))],
        }],
    }});
    serve(vec![
        ("/v0.1/servers/com.example%2Ftuned/versions/latest", tuned),
        ("/v0.1/servers/com.example%2Fgone/versions/latest", gone),
        ("/v0.1/servers?search=", json!({"servers": [notes(), other], "metadata": {"count": 2}})),
        ("/v0.1/servers/com.example%2Fnotes/versions/latest", notes()),
    ])
}

#[test]
fn a_search_lists_matches_without_terminal_sequences() {
    let (user, url) = (User::new(), registry());
    let found = user.run(&["registry", "search", "notes", "--registry", &url]).succeeds();
    assert!(
        found.stdout.contains("com.example/notes  1.0.2    mcpb, npm, streamable-http  Keeps notes"),
        "{found:?}"
    );
    assert!(!found.stdout.contains("notebook") && !found.stdout.contains('\u{1b}'), "{found:?}");
    let (code, found) = user.json(&["registry", "search", "notes", "keeps", "--registry", &url]);
    assert_eq!((code, &found["servers"][0]["name"]), (0, &json!("com.example/notes")));
    let (code, none) = user.json(&["registry", "search", "notes", "zebra", "--registry", &url]);
    assert_eq!((code, none), (0, json!({"servers": [], "more": false})));
}

#[test]
fn a_shown_entry_fits_into_a_configuration_unchanged() {
    let (user, url) = (User::new(), registry());
    let shown = user.run(&["registry", "show", "com.example/notes", "--registry", &url]).succeeds();
    assert!(shown.stdout.contains("args = [\"-y\", \"@example/notes@1.0.2\"]"), "{shown:?}");
    assert!(shown.stdout.contains("# Set NOTES_KEY (secret): The key"), "{shown:?}");
    assert!(
        shown
            .stderr
            .contains("another way: streamable-http at https://notes.example.com/mcp; see it with --way 3")
    );
    assert!(shown.stderr.contains("cannot be taken: mcpb package"), "{shown:?}");
    // The registry of the configuration is asked where none is named; a file that is not trusted has no say.
    let file = format!("[discovery]\nregistry = \"{url}\"\n\n{}", shown.stdout);
    user.write("own.toml", &file);
    let mut command = user.command(&[
        "--config",
        "own.toml",
        "registry",
        "show",
        "com.example/notes",
        "--way",
        "3",
        "--id",
        "hosted",
    ]);
    command.env("NOTES_KEY", "k");
    let hosted = crate::support::ended(command, "").succeeds();
    assert!(hosted.stdout.contains("id = \"hosted\"\nurl = \"https://notes.example.com/mcp\""), "{hosted:?}");
}

#[test]
fn the_status_of_a_server_is_shown_in_every_output() {
    let (user, url) = (User::new(), registry());
    let shown = user.run(&["registry", "show", "com.example/gone", "--registry", &url]).succeeds();
    assert!(shown.stdout.contains("# It is deleted from the registry"), "{shown:?}");
    assert!(shown.stderr.contains("it is deleted from the registry"), "{shown:?}");
    for (name, expected) in [("com.example/gone", "deleted"), ("com.example/notes", "active")] {
        let (code, shown) = user.json(&["registry", "show", name, "--registry", &url]);
        assert_eq!((code, &shown["status"]), (0, &json!(expected)));
    }
    let (_, found) = user.json(&["registry", "search", "notes", "--registry", &url]);
    assert_eq!(found["servers"][0]["status"], "active");
}

#[test]
fn an_unknown_entry_and_an_absent_registry_are_reported() {
    let (user, url) = (User::new(), registry());
    let gone = "http://127.0.0.1:1";
    for (args, code, expected) in [
        (&["show", "com.example/none", "--registry", &url][..], 5, "the registry has no server"),
        (&["show", "com.example/notes", "--way", "9", "--registry", &url], 5, "no way 9: expected 1 to 3"),
        (&["show", "com.example/notes", "--way", "1", "--registry", &url], 1, "it is a bundle"),
        (&["show", "com.example/notes", "--id", "a b", "--registry", &url], 2, "is not a server id"),
        (&["show", "com.example/notes", "--registry", gone], 6, "failed to read"),
        (&["search", "x", "--registry", "ftp://x"], 2, "is not a registry: expected http or https"),
        (&["search", "x", "--registry", "http://example.com"], 6, "https"),
        (&["search", "--registry", &url], 2, "WORDS"),
    ] {
        let ended = user.run(&[&["registry"], args].concat()).fails_with(code);
        assert!(ended.stderr.contains(expected), "{args:?}: {ended:?}");
    }
}
