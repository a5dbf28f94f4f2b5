//! The meaning of valid files.

use super::accept::accepted;
use crate::config::{
    Config, ConfigError, SecretReader, SecretSource, ServerConfig, ServerMgp, TargetLimit, Text, Transport,
};
use mgp_types::{
    access::{DefaultPolicy, RoleRule, Roles},
    context::TrustLevel,
    permission::{Permission, StandardPermission},
    tool_index::Exposure,
    tool_security::ValidatorName,
};
use std::{
    num::NonZeroU64,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

fn parse(text: &str) -> Config {
    let env = |name: &str| (name == "KEY").then(|| "s3cret".to_owned());
    accepted(text, &env)
}

#[test]
fn an_empty_file_is_the_default() {
    assert_eq!(parse(""), Config::default());
    assert_eq!(parse("").kernel.exposure, Exposure::Hybrid);
}

#[test]
fn a_server_in_the_specification_s_form_is_read() {
    let config = parse(
        r#"
        [[servers]]
        id = "mind.model"
        command = "python"
        args = ["server.py", "$${KEY}"]
        transport = "stdio"
        [servers.mgp]
        extensions = ["security", "lifecycle"]
        permissions_required = ["network"]
        trust_level = "core"
        restart_policy = "on_failure"
        validator = "readonly"
        validators = { run = "sandbox" }
        [servers.env]
        KEY = "${KEY}"
        [[servers]]
        id = "far"
        url = "https://x.example/${KEY}"
        "#,
    );
    let [near, far] = &config.servers[..] else { panic!("two servers") };
    let mgp = near.mgp.as_ref().unwrap();
    assert_eq!((near.args[1].value(), near.env["KEY"].reveal()), ("${KEY}", "s3cret"));
    assert_eq!(mgp.trust_level, Some(TrustLevel::Trusted));
    let network =
        [StandardPermission::NetworkOutbound, StandardPermission::NetworkListen].map(Permission::from);
    assert_eq!(mgp.permissions(), network);
    assert_eq!(mgp.validator_of("run"), Some(&ValidatorName::Sandbox));
    assert_eq!(mgp.validator_of("other"), Some(&ValidatorName::Readonly));
    assert_eq!((near.transport(), far.transport()), (Transport::Stdio, Transport::Http));
    assert_eq!(far.url.as_ref().unwrap().value(), "https://x.example/s3cret");
}

#[test]
fn secrets_are_neither_shown_nor_written() {
    let config = parse(
        r#"
        servers = [
          { id = "a", command = "${KEY}", args = ["${KEY}"], env = { A = "${KEY}" } },
          { id = "b", url = "http://x/${KEY}", headers = { a = "${KEY}" }, auth = { bearer = "${KEY}" } },
          { id = "c", url = "http://x", headers = { a = "plain-key" }, auth = { api_key = "plain-key" } },
        ]
        "#,
    );
    assert_eq!(config.servers[1].auth.as_ref().unwrap().bearer.as_ref().unwrap().reveal(), "s3cret");
    let shown = format!("{config:?}");
    assert!(!shown.contains("s3cret") && !shown.contains("plain-key"), "{shown}");
    assert!(!toml::to_string(&config).unwrap().contains("s3cret"));
}

#[test]
fn an_error_shows_no_text_of_the_file() {
    let text = "[[servers]]\nid = \"a\"\nurl = \"http://x\"\nauth = { bearer = \"s3cret\" }\nx = 1\n";
    let error = Config::parse(Path::new("mgp.toml"), text.as_bytes(), &|_| None).unwrap_err();
    assert!(!format!("{error:?}").contains("s3cret"));
}

#[test]
fn a_disabled_server_needs_no_variables() {
    let text = "servers = [{ id = \"a\", url = \"${UNSET}\", disabled = true }]";
    assert_eq!(parse(text).servers[0].url.as_ref().unwrap().written(), "${UNSET}");
}

/// Returns the faults of servers, each with the id in front of it.
fn faults(config: &Config) -> Vec<String> {
    let fault = |server: &ServerConfig| Some(format!("{}: {}", server.id, server.fault.as_ref()?));
    config.servers.iter().filter_map(fault).collect()
}

#[test]
fn an_unset_variable_is_a_fault_of_its_server_only() {
    let config = parse(
        r#"
        servers = [
          { id = "a", command = "x", args = ["${UNSET}", "${NOT_SET}"], env = { A = "${KEY}" } },
          { id = "b", url = "https://${UNSET}/", auth = { bearer = "${KEY}" } },
          { id = "c", command = "x", args = ["${UNSET:-default}", "${KEY:-default}"] },
        ]
        "#,
    );
    assert_eq!(
        faults(&config),
        [
            "a: the environment variables NOT_SET and UNSET are not set: set them and start the gateway again, or give \
             each a default, such as ${UNSET:-value}",
            "b: the environment variable UNSET is not set: set it and start the gateway again, or give it a default with \
             ${UNSET:-value}",
        ]
    );
    let args: Vec<_> = config.servers[2].args.iter().map(Text::value).collect();
    assert_eq!(args, ["default", "s3cret"]);
}

#[test]
fn secrets_are_named_only_where_they_are_read() {
    let config = parse(
        "[[servers]]\nid = \"a\"\nurl = \"${keyring:url}\"\nheaders = { X = \"a ${file:/k}\" }\n\
         [servers.auth]\nbearer = \"${command:op read ${KEY}}\"\n",
    );
    let sources: Vec<_> = config.servers[0]
        .secret_sources()
        .into_iter()
        .map(|(key, source)| format!("{key} {source}"))
        .collect();
    assert_eq!(sources, ["url ${keyring:url}", "headers.X ${file:/k}", "auth.bearer ${command:op}"]);
    assert_eq!(faults(&config), Vec::<String>::new());
    for (lines, problem) in [
        (
            "[kernel]\nstate_dir = \"${keyring:x}\"",
            "kernel.state_dir: holds ${keyring:x}: no secret is read here",
        ),
        ("[kernel]\nagent = \"${command:x}\"", "kernel.agent: holds a variable in \"${command:x}\""),
        ("[[servers]]\nid = \"a\"\ncommand = \"${keyring:a b}\"", "\"a b\" is not the name of a secret"),
        ("[[servers]]\nid = \"a\"\ncommand = \"${file:key}\"", "the path \"key\" is relative"),
        (
            "[[servers]]\nid = \"a\"\ncommand = \"x\"\nconfinement = { read = [\"${file:/k}\"] }",
            "servers[0].confinement.read[0]: holds ${file:/k}: no secret is read here",
        ),
    ] {
        let error = Config::parse("x".as_ref(), lines.as_bytes(), &|_| None).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
}

/// A reader whose secrets are all the same.
#[derive(Debug)]
struct OneSecret(&'static str, AtomicUsize);

#[async_trait::async_trait]
impl SecretReader for OneSecret {
    async fn read(&self, _: &SecretSource) -> Result<String, String> {
        self.1.fetch_add(1, Ordering::Relaxed);
        if self.0.is_empty() { Err("none is stored".to_owned()) } else { Ok(self.0.to_owned()) }
    }
}

#[tokio::test]
async fn secrets_are_read_once_for_a_server_and_checked() {
    let text = "[[servers]]\nid = \"a\"\nurl = \"${keyring:u}\"\nheaders = { A = \"x ${keyring:u}\" }\n";
    for (secret, expected) in [
        ("http://127.0.0.1:1/", Ok("x http://127.0.0.1:1/")),
        ("", Err("url: none is stored")),
        ("hush", Err("url is not usable with the value of its secret ${keyring:u}: not a URL: ")),
        (
            "http://a.example/hush\n",
            Err("headers.A is not usable with the value of its secret ${keyring:u}: not a header value"),
        ),
    ] {
        let reader = OneSecret(secret, AtomicUsize::new(0));
        let mut server = parse(text).servers.remove(0);
        match (server.read_secrets(&reader).await, expected) {
            (Ok(()), Ok(expected)) => assert_eq!(server.headers["A"].reveal(), expected),
            (Err(error), Err(expected)) => {
                assert!(error.starts_with(expected) && !error.contains("hush"), "{error}");
                assert!(secret.is_empty() || error.contains("`mgp secrets set u`"), "{error}");
            }
            (read, _) => panic!("{secret}: {read:?}"),
        }
        assert_eq!(reader.1.into_inner(), 1);
        assert!(!format!("{server:?}").contains("hush") && server.url.unwrap().written() == "${keyring:u}");
    }
}

#[tokio::test]
async fn a_header_is_checked_with_its_secret_and_not_before() {
    let headers = "A = \"Bearer ${command:with 'ö\\n'}\"\nB = 'x ${NO:-${keyring:k}}'";
    for disabled in [false, true] {
        let text = format!(
            "[[servers]]\nid = \"a\"\nurl = \"http://a.example\"\ndisabled = {disabled}\n[servers.headers]\n{headers}\n"
        );
        let mut server = parse(&text).servers.remove(0);
        if !disabled {
            server.read_secrets(&OneSecret("hush", AtomicUsize::new(0))).await.unwrap();
            assert_eq!(server.headers["A"].reveal(), "Bearer hush");
            let mut server = parse(&text).servers.remove(0);
            let error = server.read_secrets(&OneSecret("hu\nsh", AtomicUsize::new(0))).await.unwrap_err();
            assert!(
                error.contains("headers.A is not usable") && error.contains("${command:with}"),
                "{error}"
            );
        }
    }
    let plain = "[[servers]]\nid = \"a\"\nurl = \"http://a.example\"\nheaders = { A = \"x\\n\" }\n";
    assert!(Config::parse("x".as_ref(), plain.as_bytes(), &|_| None).is_err());
}

#[test]
fn an_unusable_variable_is_a_fault_of_its_server_and_not_shown() {
    let env = |name: &str| match name {
        "EMPTY" => Some(String::new()),
        "LINES" => Some("s3cret\nx".to_owned()),
        "RELATIVE" => Some("s3cret/x".to_owned()),
        _ => None,
    };
    let text = r#"
        servers = [
          { id = "a", url = "${EMPTY}" },
          { id = "b", url = "http://x", auth = { bearer = "${LINES}" } },
          { id = "c", command = "${EMPTY}" },
          { id = "d", command = "x", confinement = { read = ["${RELATIVE}"] } },
          { id = "e", command = "x" },
        ]
    "#;
    let config = Config::parse(Path::new("mgp.toml"), text.as_bytes(), &env).unwrap();
    let is_not_usable = "is not usable with the value of its variables:";
    assert_eq!(
        faults(&config),
        [
            format!("a: url {is_not_usable} not a URL: relative URL without a base"),
            format!(
                "b: auth.bearer {is_not_usable} not a header value: expected visible characters and no line breaks"
            ),
            format!("c: command {is_not_usable} empty: expected the program to start"),
            format!("d: confinement.read[0] {is_not_usable} \"${{RELATIVE}}\" is not an absolute path"),
        ]
    );
}

#[test]
fn written_configuration_reads_back_the_same() {
    let config = parse(
        "[[servers]]\nid = \"a\"\ncommand = \"x\"\nargs = [\"${KEY}\"]\n[servers.mgp]\npinned = [\"t\"]\n",
    );
    assert_eq!(parse(&toml::to_string(&config).unwrap()), config);
}

#[test]
fn a_server_s_settings_override_the_kernel_s() {
    let config = parse(
        r#"
        [kernel]
        default_policy = "opt-out"
        call_timeout_ms = 10
        pinned = ["x"]
        [[servers]]
        id = "a"
        command = "x"
        [[servers]]
        id = "b"
        command = "x"
        default_policy = "opt-in"
        mgp = { call_timeout_ms = 20, pinned = ["t"] }
        [[servers]]
        id = "c"
        command = "x"
        disabled = true
        mgp = { pinned = ["t"] }
        "#,
    );
    let [a, b, _] = &config.servers[..] else { panic!("three servers") };
    assert_eq!([a, b].map(|server| config.call_timeout(server).as_millis()), [10, 20]);
    assert_eq!(
        [a, b].map(|server| config.default_policy(server)),
        [DefaultPolicy::OptOut, DefaultPolicy::OptIn]
    );
    assert_eq!(config.pinned(), ["x", "b__t"].map(str::to_owned).into());
    assert!(config.enabled().map(|server| server.id.as_str()).eq(["a", "b"]));
    assert_eq!(*a.settings(), ServerMgp::default());
}

#[test]
fn roles_and_their_agents_are_read() {
    let roles = parse(
        r#"
        [roles.reader]
        grants = [{ server = "fs-*", tool = "read_*" }, { server = "*", permission = "deny" }]
        [roles.nothing]
        [[agents]]
        id = "ci.bot"
        roles = ["reader"]
        "#,
    )
    .roles();
    let rules = [RoleRule::allow("fs-*").tool("read_*"), RoleRule::deny("*")];
    assert_eq!(roles, Roles::new().role("reader", rules).role("nothing", []).agent("ci.bot", ["reader"]));
}

#[test]
fn a_file_full_of_mistakes_is_reported_soon_and_in_part() {
    let mut text = String::new();
    (0..2_000)
        .for_each(|i| text.push_str(&format!("[[servers]]\nid = \"server-number-{i}\"\ncommand = \"x\"\n")));
    text.push_str("[access]\ngrants = [\n");
    (0..8_000).for_each(|i| text.push_str(&format!("{{ agent = \"a\", server = \"sever-number-{i}\" }},\n")));
    text.push_str("]\n");
    let error = Config::parse(Path::new("mgp.toml"), text.as_bytes(), &|_| None).unwrap_err();
    assert_eq!(error.problems().len(), 20);
}

#[test]
fn a_program_s_configuration_is_checked_except_for_upper_bounds() {
    let mut config = Config::default();
    config.kernel.start_wait_ms = u64::MAX;
    config
        .limits
        .servers
        .insert("ours".into(), TargetLimit { units_per_day: NonZeroU64::new(1), ..TargetLimit::default() });
    assert_eq!(config.check(&["ours"]), Ok(()));
    assert_eq!(
        config.check(&[]).unwrap_err(),
        "limits.servers.ours: no server \"ours\": expected the id of a [[servers]] table"
    );
    config.kernel.search_results = 0;
    let error = config.check(&["ours"]).unwrap_err();
    assert_eq!(error, "kernel.search_results: 0 is out of bounds: expected 1 to 50");
}

#[test]
fn a_server_without_its_variable_passes_the_check() {
    let config =
        parse("[[servers]]\nid = \"a\"\nurl = \"${URL}\"\n[[servers]]\nid = \"b\"\nurl = \"${KEY}\"\n");
    assert!(config.servers.iter().all(|server| server.fault.is_some()), "{config:?}");
    assert_eq!(config.check(&[]), Ok(()));
}

#[test]
fn a_file_is_read_with_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mgp.toml");
    std::fs::write(&file, "[kernel]\nstate_dir = \"${PATH}\"\n").unwrap();
    let config = Config::read(&file).unwrap();
    assert_eq!(config.kernel.state_dir.unwrap().value(), std::env::var("PATH").unwrap());
    assert!(matches!(Config::read(folder.path().join("none")), Err(ConfigError::Read { .. })));
}

#[test]
fn an_error_names_the_first_problem_of_the_file() {
    for (text, expected) in [
        (
            "[kernel]\nagnet = \"ann\"",
            "a.toml:2:1: kernel.agnet: unknown key \"agnet\" (did you mean \"agent\"? known keys here: ",
        ),
        (
            "[kernel]\nsearch_results = 0",
            "a.toml:2:18: kernel.search_results: 0 is out of bounds: expected 1 to 50",
        ),
        (
            "[kernel]\nsearch_results = 0\nmax_retries = 11",
            "a.toml:2:18: kernel.search_results: 0 is out of bounds: expected 1 to 50; and one more problem",
        ),
        (
            "[kernel]\nsearch_results = 0\nmax_retries = 11\ncall_timeout_ms = 0",
            "a.toml:2:18: kernel.search_results: 0 is out of bounds: expected 1 to 50; and 2 more problems",
        ),
    ] {
        let error = Config::parse(Path::new("a.toml"), text.as_bytes(), &|_| None).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn an_object_store_is_a_folder_of_a_bucket() {
    let read = |address: &str| {
        let text = format!("[references]\nobject_store = {address:?}\n");
        Config::parse(Path::new("a.toml"), text.as_bytes(), &|_| None).map_err(|error| error.to_string())
    };
    for address in ["s3://kept", "s3://kept/", "s3://kept.example-1/mgp/results/"] {
        assert_eq!(read(address).unwrap().references.object_store.unwrap(), address);
    }
    for address in [
        "",
        "s3://",
        "s3:///mgp",
        "https://kept/mgp",
        "s3://a b",
        "s3://u:p@kept",
        "s3://kept/a//b",
        "s3://kept/..",
    ] {
        let problem = read(address).unwrap_err();
        let expected = format!(
            "references.object_store: {address:?} is not a folder of a bucket: expected s3://BUCKET/FOLDER"
        );
        assert!(problem.contains(&expected), "{problem}");
    }
}
