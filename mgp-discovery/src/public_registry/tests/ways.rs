//! A registry of a few made-up servers: how its pages are read, and what their entries become.

use super::{Entry, EntryStatus, Page, PublicRegistry, PublicRegistryError, snippet, ways};
use crate::config::{Config, Text};
use async_trait::async_trait;
use expect_test::{Expect, expect};
use http::{Request, Response};
use mgp_transport::seam::{Fetch, FetchError};
use mgp_types::json::RawJson;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// What a server of these says about itself.
fn entry(server: &Value) -> Entry {
    Entry::read(&RawJson::parse(json!({ "server": server }).to_string()).unwrap()).unwrap()
}

/// Every way of a server: the text for each that can be taken, and why the others cannot.
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
fn a_package_of_npm_is_run_by_npx_and_asks_for_its_keys() {
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
            # Notes, and [2J more
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
fn other_packages_are_run_by_what_runs_their_kind() {
    check(
        json!({"name": "com.example/weather", "packages": [
            {"registryType": "pypi", "identifier": "weather-mcp", "version": "0.5.0"},
            {"registryType": "oci", "registryBaseUrl": "https://docker.io", "identifier": "example/weather", "version": "1.2.0",
             "runtimeArguments": [{"type": "named", "name": "--mount", "value": "type=bind,src={src},dst={dst},x={other}",
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
            args = ["run", "-i", "--rm", "-e", "KEY", "--mount=type=bind,src=${SRC},dst=/project,x={other}", "example/weather:1.2.0"]

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
fn a_server_that_runs_already_becomes_its_address_with_the_headers_that_it_wants() {
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
fn what_would_make_a_runner_do_something_else_is_no_way() {
    check(
        json!({"name": "com.example/bad", "packages": [
            {"registryType": "npm", "identifier": "--registry=http://x"},
            {"registryType": "npm", "identifier": "github:x/y"},
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
            npm package --registry=http://x: "--registry=http://x" is no name of a package of npm

            npm package github:x/y: "github:x/y" is no name of a package of npm

            npm package https://x/y.tgz: "https://x/y.tgz" is no name of a package of npm

            npm package a/../b 1: "a/../b" is no name of a package of npm

            npm package a 1 --evil: its version "1 --evil" is none that can stand in a command

            pypi package a b: "a b" is no name of a package of pypi

            oci package -v/:/host: "-v/:/host" is no name of a package of oci

            cargo package a: nothing here runs packages of "cargo": expected npm, pypi, nuget or oci

            mcpb package https://x/y.mcpb: it is a bundle that has to be downloaded and checked first

            npm package a: it serves sse by itself: expected stdio; start it, and configure its url

            npm package a: env."A=B": "A=B" is no variable: expected a name without '='

            npm package a: an argument with a flag has none

            websocket at wss://x: its transport "websocket" is not known: expected streamable-http or sse

            sse at file:///etc/passwd: url: a URL of scheme "file": expected http or https

            sse at https://x: headers.Host: the header "Host" is set by the transport
        "#]],
    );
}

#[test]
fn a_stranger_s_text_reads_no_variable_that_the_snippet_does_not_name() {
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
fn a_page_is_read_without_the_entries_that_cannot_be() {
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

/// Answers by the path and query of what is asked for, and remembers that.
#[derive(Debug, Default)]
struct Local {
    asked: Mutex<Vec<String>>,
    pages: Vec<(&'static str, u16, String)>,
}

impl Local {
    fn with(pages: impl IntoIterator<Item = (&'static str, u16, Value)>) -> Arc<Self> {
        let pages = pages.into_iter().map(|(path, status, body)| (path, status, body.to_string()));
        Arc::new(Self { pages: pages.collect(), ..Self::default() })
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

#[async_trait]
impl Fetch for Local {
    async fn fetch(&self, request: Request<String>, max: usize) -> Result<Response<Vec<u8>>, FetchError> {
        let asked = request.uri().path_and_query().unwrap().as_str().to_owned();
        self.asked.lock().unwrap().push(asked.clone());
        let found = self.pages.iter().find(|(path, ..)| asked.starts_with(path));
        let (status, body) = found.map_or((404, ""), |(_, status, body)| (*status, body.as_str()));
        if body.len() > max {
            return Err(FetchError::TooLong(max));
        }
        Ok(Response::builder().status(status).body(body.as_bytes().to_vec()).unwrap())
    }
}

fn registry(local: &Arc<Local>) -> PublicRegistry {
    PublicRegistry::new("http://127.0.0.1/api/", local.clone()).unwrap()
}

fn listed(names: &[&str], next: Option<&str>) -> Value {
    let servers: Vec<_> =
        names.iter().map(|name| json!({"server": {"name": name, "description": "Takes Notes"}})).collect();
    json!({"servers": servers, "metadata": {"nextCursor": next}})
}

const FIRST: &str = "/api/v0.1/servers?search=example&version=latest&limit=100";

#[tokio::test]
async fn a_search_reads_page_after_page_until_it_has_enough() {
    let next = "/api/v0.1/servers?search=example&version=latest&limit=100&cursor=a%2Fb%26";
    let local = Local::with([
        (next, 200, listed(&["x/example-2", "x/example-1"], None)),
        (FIRST, 200, listed(&["x/example-1", "x/other"], Some("a/b&"))),
    ]);
    let words = ["Notes EXAMPLE".to_owned()];
    let found = registry(&local).search(&words, 10).await.unwrap();
    let names: Vec<_> = found.entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!((names, found.more), (vec!["x/example-1", "x/example-2"], false));
    assert_eq!(local.asked(), [FIRST, next]);
    let found = registry(&local).search(&words, 1).await.unwrap();
    assert_eq!((found.entries.len(), found.more), (1, true));
    assert_eq!(local.asked().len(), 3, "no page more than is needed");
}

#[tokio::test]
async fn a_word_that_stands_in_no_name_is_looked_for_in_what_the_others_find() {
    let local = Local::with([
        ("/api/v0.1/servers?search=takes&", 200, listed(&[], None)),
        ("/api/v0.1/servers?search=ab&", 200, listed(&["x/ab"], None)),
    ]);
    let found = registry(&local).search(&["ab".into(), "takes".into()], 10).await.unwrap();
    assert_eq!((found.entries.len(), local.asked().len()), (1, 2));
}

#[tokio::test]
async fn a_list_that_does_not_end_is_given_up() {
    let circle = Local::with([(FIRST, 200, listed(&[], Some("x")))]);
    let error = registry(&circle).search(&["example".into()], 5).await.unwrap_err();
    assert!(matches!(error, PublicRegistryError::Circle { .. }), "{error}");
    assert_eq!(circle.asked().len(), 2);

    #[derive(Debug, Default)]
    struct Endless(Mutex<usize>);
    #[async_trait]
    impl Fetch for Endless {
        async fn fetch(&self, _: Request<String>, _: usize) -> Result<Response<Vec<u8>>, FetchError> {
            let mut count = self.0.lock().unwrap();
            *count += 1;
            Ok(Response::new(listed(&[], Some(&count.to_string())).to_string().into_bytes()))
        }
    }
    let endless = Arc::new(Endless::default());
    let registry = PublicRegistry::new("http://127.0.0.1", endless.clone()).unwrap();
    let found = registry.search(&["example".into()], 5).await.unwrap();
    assert_eq!((found.entries.len(), found.more, *endless.0.lock().unwrap()), (0, true, super::MAX_PAGES));
}

#[tokio::test]
async fn a_server_is_asked_for_by_its_name_and_an_older_registry_by_its_list() {
    let at = "/api/v0.1/servers/com.example%2Fnotes/versions/latest";
    let server = json!({"server": {"name": "com.example/notes", "version": "2"}});
    let local = Local::with([(at, 200, server)]);
    assert_eq!(registry(&local).server("com.example/notes").await.unwrap().version.as_deref(), Some("2"));
    assert_eq!(local.asked(), [at]);

    let list = listed(&["com.example/notes-2", "com.example/notes"], None);
    let old = Local::with([("/api/v0/servers?search=com.example%2Fnotes", 200, list)]);
    assert_eq!(registry(&old).server("com.example/notes").await.unwrap().name, "com.example/notes");
    let missing = registry(&old).server("com.example/none").await.unwrap_err();
    assert!(
        matches!(&missing, PublicRegistryError::NotFound(name) if name == "com.example/none"),
        "{missing}"
    );
    let none = Local::with([]);
    let missing = registry(&none).server("com.example/none").await.unwrap_err();
    assert!(matches!(missing, PublicRegistryError::NotFound(_)), "{missing}");
}

#[tokio::test]
async fn what_a_registry_answers_instead_is_named() {
    for (status, body, expected) in [
        (500, json!({}), "http://127.0.0.1/api/v0.1/servers answered with the status 500: expected 200"),
        (302, json!({}), "the status 302"),
        (200, json!({"error": "x"}), "cannot be read: it has no servers"),
        (200, json!({"servers": "x".repeat(5_000_000)}), "too long: expected at most 4194304 bytes"),
    ] {
        let local = Local::with([("/api/v0.1/servers", status, body)]);
        let error = registry(&local).search(&["example".into()], 5).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let other = Local::with([("/", 200, json!({"server": {"name": "other"}}))]);
    let error = registry(&other).server("com.example/x").await.unwrap_err();
    assert!(matches!(error, PublicRegistryError::NotFound(_)), "another server than was asked for: {error}");
}

#[tokio::test]
async fn what_cannot_be_asked_for_is_not_sent() {
    let local = Local::with([]);
    for url in ["no url", "ftp://x", "http://u:p@x", "http://x/?q=1"] {
        let error = PublicRegistry::new(url, local.clone()).unwrap_err();
        assert!(matches!(error, PublicRegistryError::Url { .. }), "{url}: {error}");
    }
    assert!(registry(&local).search(&[" ".into()], 5).await.is_err());
    assert!(registry(&local).search(&["x".repeat(257)], 5).await.is_err());
    assert!(registry(&local).search(&["x ".repeat(17)], 5).await.is_err());
    for name in ["", "a\nb", "x".repeat(257).as_str()] {
        assert!(registry(&local).server(name).await.is_err());
    }
    assert_eq!(local.asked(), [""; 0]);
}
