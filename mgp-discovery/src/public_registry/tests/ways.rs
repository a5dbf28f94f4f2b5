//! Tests of reading entries, and of turning them into servers.

use crate::{
    config::{Config, Text},
    public_registry::{Entry, EntryStatus, Page, budget::MAX_FILLED, snippet, ways},
};
use expect_test::{Expect, expect};
use mgp_types::json::RawJson;
use serde_json::{Value, json};

/// Returns the entry of a server that describes itself in this way.
fn entry(server: &Value) -> Entry {
    Entry::read(&RawJson::parse(json!({ "server": server }).to_string()).unwrap()).unwrap()
}

/// Checks every way of a server: the text of each usable way, and the reason for each unusable one.
#[expect(clippy::needless_pass_by_value, reason = "expect! and json! make values")]
fn check(server: Value, expected: Expect) {
    let entry = entry(&server);
    let shown = ways(&entry).into_iter().map(|way| match way {
        Ok(way) => {
            let text = snippet(&entry, &way, &way.server.id).unwrap();
            let read = Config::parse("x".as_ref(), text.as_bytes(), &|_| Some("x".into()));
            assert!(read.is_ok(), "{read:?}\n{text}");
            text
        }
        Err(unusable) => format!("{}: {}\n", unusable.title, unusable.reason),
    });
    expected.assert_eq(&shown.collect::<Vec<_>>().join("\n"));
}

#[test]
fn an_npm_package_runs_with_npx_and_asks_for_its_keys() {
    check(
        json!({
            "name": "com.example/brave-notes", "description": "Notes,\nand\u{1b}[2J more", "version": "1.0.2",
            "packages": [{
                "registryType": "npm", "identifier": "@example/notes", "version": "1.0.2",
                "runtimeHint": "npx", "runtimeArguments": [{"type": "positional", "value": "-y"}],
                "transport": {"type": "stdio"},
                "packageArguments": [
                    {"type": "positional", "value": "serve"},
                    {"type": "positional", "valueHint": "target-dir", "isRequired": true},
                    {"type": "named", "name": "--mode", "default": "local"},
                    {"type": "named", "name": "-q"},
                    {"type": "named", "name": "--port", "format": "number", "description": "The port"}
                ],
                "environmentVariables": [
                    {"name": "NOTES_KEY", "description": "The key", "isRequired": true, "isSecret": true},
                    {"name": "LEVEL", "default": "info"},
                    {"name": "EXTRA", "description": "More of it", "choices": ["a", "b"]}
                ]
            }]
        }),
        expect![[r##"
            # com.example/brave-notes, from a registry of servers: npm package @example/notes 1.0.2
            # Notes, and\u{1b}[2J more
            # Set TARGET_DIR
            # Not set: port: The port
            # Set NOTES_KEY (secret): The key
            # Not set: EXTRA: More of it; one of a, b
            [[servers]]
            id = "brave-notes"
            command = "npx"
            args = ["-y", "@example/notes@1.0.2", "serve", "${TARGET_DIR}", "--mode=local", "-q"]

            [servers.env]
            LEVEL = "info"
            NOTES_KEY = "${NOTES_KEY}"

            [servers.mgp]
            trust_level = "sandboxed"
        "##]],
    );
}

#[test]
fn other_packages_run_with_their_own_runner() {
    check(
        json!({"name": "com.example/weather", "packages": [
            {"registryType": "pypi", "identifier": "weather-mcp", "version": "0.5.0"},
            {"registryType": "oci", "registryBaseUrl": "https://docker.io", "identifier": "example/weather", "version": "1.2.0",
             "runtimeArguments": [{"type": "named", "name": "--mount", "value": "type=bind,src={src},dst={dst},consistency={other}",
                "variables": {"src": {"isRequired": true}, "dst": {"default": "/project"}}}],
             "environmentVariables": [{"name": "KEY", "isRequired": true}]},
            {"registryType": "oci", "registryBaseUrl": "https://ghcr.io", "identifier": "ghcr.io/example/weather:1.2.0", "version": "1.2.0"},
            {"registryType": "nuget", "identifier": "Example.Weather", "version": "1.0.0",
             "packageArguments": [{"type": "positional", "value": "mcp"}]},
        ]}),
        expect![[r##"
            # com.example/weather, from a registry of servers: pypi package weather-mcp 0.5.0
            [[servers]]
            id = "weather"
            command = "uvx"
            args = ["weather-mcp@0.5.0"]

            [servers.mgp]
            trust_level = "sandboxed"

            # com.example/weather, from a registry of servers: oci package example/weather 1.2.0
            # Set SRC
            # Set KEY
            [[servers]]
            id = "weather"
            command = "docker"
            args = ["run", "-i", "--rm", "-e", "KEY", "--mount=type=bind,src=${SRC},dst=/project,consistency={other}", "example/weather:1.2.0"]

            [servers.env]
            KEY = "${KEY}"

            [servers.mgp]
            trust_level = "sandboxed"

            # com.example/weather, from a registry of servers: oci package ghcr.io/example/weather:1.2.0 1.2.0
            [[servers]]
            id = "weather"
            command = "docker"
            args = ["run", "-i", "--rm", "ghcr.io/example/weather:1.2.0"]

            [servers.mgp]
            trust_level = "sandboxed"

            # com.example/weather, from a registry of servers: nuget package Example.Weather 1.0.0
            [[servers]]
            id = "weather"
            command = "dnx"
            args = ["Example.Weather@1.0.0", "--yes", "--", "mcp"]

            [servers.mgp]
            trust_level = "sandboxed"
        "##]],
    );
}

#[test]
fn a_remote_server_becomes_its_address_and_headers() {
    check(
        json!({"name": "com.example/hosted", "remotes": [
            {"type": "streamable-http", "url": "https://{tenant}.example.com/mcp",
             "variables": {"tenant": {"description": "Yours", "isRequired": true}},
             "headers": [
                {"name": "Authorization", "value": "Bearer {api_key}", "variables": {"api_key": {"isSecret": true}}},
                {"name": "X-Region", "default": "eu"},
                {"name": "X-Trace"}
             ]},
            {"transport_type": "sse", "url": "https://example.com/sse"},
        ]}),
        expect![[r##"
            # com.example/hosted, from a registry of servers: streamable-http at https://{tenant}.example.com/mcp
            # Set TENANT: Yours
            # Set API_KEY (secret)
            # Not set: X-Trace
            [[servers]]
            id = "hosted"
            url = "https://${TENANT}.example.com/mcp"

            [servers.headers]
            Authorization = "Bearer ${API_KEY}"
            X-Region = "eu"

            [servers.mgp]
            trust_level = "sandboxed"

            # com.example/hosted, from a registry of servers: sse at https://example.com/sse
            [[servers]]
            id = "hosted"
            url = "https://example.com/sse"

            [servers.mgp]
            trust_level = "sandboxed"
        "##]],
    );
}

#[test]
fn an_older_registry_s_names_are_read_too() {
    let old = json!({"name": "com.example/old", "status": "deprecated", "version_detail": {"version": "0.9"},
        "packages": [{"registry_type": "pypi", "identifier": "old", "version": "0.9",
            "environment_variables": [{"name": "K", "is_required": true, "is_secret": true}]}]});
    let read = Entry::read(&RawJson::parse(old.to_string()).unwrap()).unwrap();
    assert_eq!((read.version.as_deref(), read.status), (Some("0.9"), EntryStatus::Deprecated));
    let way = ways(&read).remove(0).unwrap();
    assert!(way.needs[0].required && way.needs[0].secret);
    assert!(snippet(&read, &way, "old").unwrap().contains("# It is deprecated"));
}

#[test]
fn a_deprecation_is_shown_above_the_server() {
    for (status, expected) in [
        ("active", None),
        ("deprecated", Some("# It is deprecated: ")),
        ("deleted", Some("# It is deleted from the registry: ")),
    ] {
        let read = entry(
            &json!({"name": "com.example/x", "status": status, "packages": [{"registryType": "npm", "identifier": "a"}]}),
        );
        assert_eq!(read.status.as_str(), status);
        let text = snippet(&read, &ways(&read).remove(0).unwrap(), "x").unwrap();
        let said = text.lines().find(|line| line.starts_with("# It is "));
        assert!(
            said.is_some() == expected.is_some()
                && said.unwrap_or_default().starts_with(expected.unwrap_or_default()),
            "{text}"
        );
    }
}

/// Returns the reason that the only way of a server is unusable.
fn unusable(server: &Value) -> String {
    ways(&entry(server)).remove(0).unwrap_err().reason
}

/// Returns an address whose single variable expands to many of the next one, and so on; the last one is a word.
fn nested(count: usize, depth: usize) -> Value {
    let mut input = json!({"default": "word"});
    for _ in 0..depth {
        input = json!({"value": "{a}".repeat(count), "variables": {"a": input}});
    }
    json!({"name": "com.example/deep", "remotes": [
        {"type": "sse", "url": "https://x/{a}", "variables": {"a": input}},
    ]})
}

#[test]
fn nested_variables_stay_within_the_bound_of_an_entry() {
    let way = ways(&entry(&nested(2, 3))).remove(0).unwrap();
    let words = "word".repeat(8);
    assert_eq!(way.server.url.unwrap().written(), format!("https://x/{words}"));
    let reason = unusable(&nested(100, 3));
    assert!(reason.contains("too long with their variables filled in"), "{reason}");
}

#[test]
fn a_repeated_variable_with_long_texts_is_charged_too() {
    let asked = json!({"description": "x".repeat(1_000_000), "choices": vec!["y"; 100_000]});
    let server = json!({"name": "com.example/asks", "remotes": [
        {"type": "sse", "url": "https://x/{a}".replace("{a}", &"{a}".repeat(10_000)), "variables": {"a": asked}},
    ]});
    assert!(unusable(&server).contains("too long with their variables filled in"));
}

#[test]
fn all_ways_of_an_entry_share_the_bound_of_variables() {
    let text = "x".repeat(30_000);
    let package = json!({"registryType": "npm", "identifier": "a", "packageArguments": vec![
        json!({"type": "positional", "value": text}); 10
    ]});
    let both = json!({"name": "com.example/wide", "packages": [package, package]});
    assert!(2 * 10 * text.len() > MAX_FILLED);
    let ways = ways(&entry(&both));
    assert!(ways[0].is_ok(), "{ways:?}");
    assert!(ways[1].as_ref().unwrap_err().reason.contains("too long"), "{ways:?}");
}

#[test]
fn a_text_is_at_most_as_long_as_the_configuration_allows() {
    let server = |length: usize| {
        json!({"name": "com.example/long", "packages": [{"registryType": "npm", "identifier": "a",
            "environmentVariables": [{"name": "K", "value": "x".repeat(length)}]}]})
    };
    assert!(ways(&entry(&server(32 * 1024))).remove(0).is_ok());
    assert_eq!(unusable(&server(32 * 1024 + 1)), "it has a text of 32769 bytes: expected at most 32768");
}

#[test]
fn unclosed_braces_stay_as_they_are() {
    let open = "{".repeat(30_000);
    let server = json!({"name": "com.example/open", "packages": [{"registryType": "npm", "identifier": "a",
        "packageArguments": [{"type": "positional", "value": format!("{open}{{a}}"), "variables": {"a": {"default": "b"}}}]}]});
    let way = ways(&entry(&server)).remove(0).unwrap();
    assert_eq!(way.server.args[2].written(), format!("{open}b"));
}

#[test]
fn options_that_change_the_runner_s_action_are_refused() {
    check(
        json!({"name": "com.example/bad", "packages": [
            {"registryType": "npm", "identifier": "--registry=http://x"},
            {"registryType": "npm", "identifier": "github:x/y"},
            {"registryType": "npm", "identifier": "evil/repo"},
            {"registryType": "npm", "identifier": "~/x"},
            {"registryType": "npm", "identifier": "a", "version": "npm:other"},
            {"registryType": "npm", "identifier": "a", "registryBaseUrl": "https://npm.example.com"},
            {"registryType": "pypi", "identifier": "a", "registryBaseUrl": "https://pypi.example.com"},
            {"registryType": "nuget", "identifier": "a", "registryBaseUrl": "https://nuget.example.com"},
            {"registryType": "oci", "identifier": "x/y", "registryBaseUrl": "https://example.com/team"},
            {"registryType": "npm", "identifier": "https://x/y.tgz"},
            {"registryType": "npm", "identifier": "a/../b", "version": "1"},
            {"registryType": "npm", "identifier": "a", "version": "1 --evil"},
            {"registryType": "pypi", "identifier": "a b"},
            {"registryType": "oci", "identifier": "-v/:/host"},
            {"registryType": "cargo", "identifier": "a"},
            {"registryType": "mcpb", "identifier": "https://x/y.mcpb"},
            {"registryType": "npm", "identifier": "a", "transport": {"type": "sse"}},
            {"registryType": "npm", "identifier": "a", "environmentVariables": [{"name": "A=B", "value": "1"}]},
            {"registryType": "npm", "identifier": "a", "packageArguments": [{"type": "named", "value": "1"}]},
        ], "remotes": [
            {"type": "websocket", "url": "wss://x"},
            {"type": "sse", "url": "file:///etc/passwd"},
            {"type": "sse", "url": "https://x", "headers": [{"name": "Host", "value": "y"}]},
        ]}),
        expect![[r#"
            npm package --registry=http://x: "--registry=http://x" is not a valid npm package name

            npm package github:x/y: "github:x/y" is not a valid npm package name

            npm package evil/repo: "evil/repo" is not a valid npm package name

            npm package ~/x: "~/x" is not a valid npm package name

            npm package a npm:other: its version "npm:other" cannot be used in a command

            npm package a: it comes from the registry "https://npm.example.com": expected https://registry.npmjs.org

            pypi package a: it comes from the registry "https://pypi.example.com": expected https://pypi.org

            nuget package a: it comes from the registry "https://nuget.example.com": expected https://api.nuget.org/v3/index.json

            oci package x/y: it comes from the registry "https://example.com/team": expected http or https, a host, and nothing more

            npm package https://x/y.tgz: "https://x/y.tgz" is not a valid npm package name

            npm package a/../b 1: "a/../b" is not a valid npm package name

            npm package a 1 --evil: its version "1 --evil" cannot be used in a command

            pypi package a b: "a b" is not a valid pypi package name

            oci package -v/:/host: "-v/:/host" is not a valid oci package name

            cargo package a: packages of "cargo" are not supported: expected npm, pypi, nuget or oci

            mcpb package https://x/y.mcpb: it is a bundle that has to be downloaded and checked first

            npm package a: it serves sse by itself: expected stdio; start it, and configure its url

            npm package a: env."A=B": "A=B" is not a variable name: expected a name on one line, without '='

            npm package a: a named argument has no name

            websocket at wss://x: its transport "websocket" is not known: expected streamable-http or sse

            sse at file:///etc/passwd: url: a URL of scheme "file": expected http or https

            sse at https://x: headers.Host: the header "Host" is set by the transport
        "#]],
    );
}

#[test]
fn a_stranger_s_text_reads_only_variables_of_the_snippet() {
    let entry = entry(&json!({"name": "com.example/sly", "packages": [{
        "registryType": "npm", "identifier": "a", "packageArguments": [
            {"type": "positional", "value": "${HOME}"},
            {"type": "positional", "value": "${a}", "variables": {"a": {"default": "{HOME}"}}},
            {"type": "positional", "default": "${HOME}"},
        ],
        "environmentVariables": [{"name": "K", "value": "${HOME}"}],
    }]}));
    let way = ways(&entry).remove(0).unwrap();
    assert_eq!(way.needs, []);
    let text = snippet(&entry, &way, "a").unwrap();
    let read =
        Config::parse("x".as_ref(), text.as_bytes(), &|name| panic!("{name} was read: {text}")).unwrap();
    let server = &read.servers[0];
    let args: Vec<_> = server.args.iter().map(Text::value).collect();
    assert_eq!(args, ["-y", "a", "${HOME}", "${HOME}", "${HOME}"]);
    assert_eq!(server.env["K"].reveal(), "${HOME}");
}

#[test]
fn an_entry_that_runs_other_code_is_refused() {
    let with = |name: &str, value: &str| json!({"registryType": "npm", "identifier": "a", "environmentVariables": [{"name": name, "value": value}]});
    let sly = "x\"\n[servers.mgp]\ntrust_level = \"trusted\"";
    check(
        json!({"name": "com.example/sly", "packages": [
            with("LD_PRELOAD", "/tmp/x.so"),
            with("NODE_OPTIONS", "--require=/tmp/x.js"),
            with("npm_config_registry", "https://evil.example"),
            with("PATH", "/tmp"),
            with("A\nB", "1"),
            with("A B", "1"),
            with("LEVEL", sly),
            with("LEVEL", "pay\u{202e}lap"),
            {"registryType": "npm", "identifier": "a", "environmentVariables": [{"name": "NODE_OPTIONS", "isRequired": true}]},
            {"registryType": "npm", "identifier": "a", "packageArguments": [{"type": "positional", "value": "a\u{200b}b"}]},
        ], "remotes": [{"type": "sse", "url": "https://x", "headers": [{"name": "A", "value": "b\u{200b}"}]}]}),
        expect![[r#"
            npm package a: its variable LD_PRELOAD makes programs run other code: set it yourself if you want it

            npm package a: its variable NODE_OPTIONS makes programs run other code: set it yourself if you want it

            npm package a: its variable npm_config_registry makes programs run other code: set it yourself if you want it

            npm package a: its variable PATH makes programs run other code: set it yourself if you want it

            npm package a: env."A\nB": "A\nB" is not a variable name: expected a name on one line, without '='

            npm package a: "A B" is not a variable name: expected letters, digits and _

            npm package a: the value "x" [servers.mgp] trust_level = "trusted"" holds a line break or an invisible character

            npm package a: the value "pay\u{202e}lap" holds a line break or an invisible character

            npm package a: its variable NODE_OPTIONS makes programs run other code: set it yourself if you want it

            npm package a: the value "a\u{200b}b" holds a line break or an invisible character

            sse at https://x: the value "b\u{200b}" holds a line break or an invisible character
        "#]],
    );
}

#[test]
fn a_page_is_read_without_its_invalid_entries() {
    let page = json!({"servers": [
        {"server": {"name": "a/b", "unknown": {"deep": [1]}, "packages": null, "remotes": null},
         "_meta": {"io.modelcontextprotocol.registry/official": {"status": "deleted", "isLatest": false}}},
        {"server": {"description": "no name"}}, 7, {"name": "c/d", "packages": "no list"}, {"name": "e/f"},
    ], "metadata": {"nextCursor": "x", "count": 5}});
    let page = Page::parse(page.to_string().as_bytes()).unwrap();
    let names: Vec<_> = page.entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!((names, page.unreadable, page.next_cursor.as_deref()), (vec!["a/b", "e/f"], 3, Some("x")));
    assert_eq!((page.entries[0].status, page.entries[0].is_latest), (EntryStatus::Deleted, Some(false)));
    for (bytes, expected) in [
        (&b"<html>"[..], "JSON"),
        (b"{}", "no servers"),
        (b"\xff", "UTF-8"),
        (br#"{"servers": 7}"#, "invalid type"),
    ] {
        let error = Page::parse(bytes).unwrap_err();
        assert!(error.to_lowercase().contains(&expected.to_lowercase()), "{error}");
    }
    let last = Page::parse(br#"{"servers": null, "metadata": {"nextCursor": ""}}"#).unwrap();
    assert_eq!(last, Page::default());
    let many = format!(r#"{{"servers":[{}1]}}"#, "1,".repeat(1000));
    assert!(Page::parse(many.as_bytes()).unwrap_err().contains("at most 1000"));
}
