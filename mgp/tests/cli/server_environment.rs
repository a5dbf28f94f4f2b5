//! The environment that servers get of the gateway's own.

use crate::support::{User, ended, text};
use std::collections::BTreeMap;

/// Runs a server that writes its environment to a file, with these variables set, and returns what the server has of them.
fn seen(user: &User, lines: &str, set: &[&str]) -> Vec<String> {
    let file = user.path("seen");
    let server = format!(
        "[[servers]]\nid = \"env\"\ncommand = \"sh\"\nargs = [\"-c\", \"env > '{}'\"]\n{lines}\n",
        file.display()
    );
    user.write("mgp.toml", &server);
    let mut command = user.command(&["--trust", "servers"]);
    command.envs(set.iter().map(|name| (*name, if *name == SECRET { "https://u:p@x/" } else { "set" })));
    // It is no server.
    ended(command, "").fails_with(1);
    let env = text(&file);
    let env: BTreeMap<_, _> = env.lines().filter_map(|line| line.split_once('=')).collect();
    set.iter().filter(|name| env.contains_key(*name)).map(|name| (*name).to_owned()).collect()
}

/// A variable whose value has a password.
const SECRET: &str = "PIP_INDEX_URL";

const SET: &[&str] = &[
    "AWS_PROFILE",
    "DOCKER_HOST",
    "GITHUB_TOKEN",
    "HTTPS_PROXY",
    "NODE_EXTRA_CA_CERTS",
    "NPM_CONFIG_REGISTRY",
    "NPM_TOKEN",
    SECRET,
    "SSL_CERT_FILE",
    "UV_INDEX_URL",
    "UV_PUBLISH_TOKEN",
    "no_proxy",
];

#[test]
fn a_server_inherits_certificates_proxies_and_no_secrets() {
    let expected = [
        "HTTPS_PROXY",
        "NODE_EXTRA_CA_CERTS",
        "NPM_CONFIG_REGISTRY",
        "SSL_CERT_FILE",
        "UV_INDEX_URL",
        "no_proxy",
    ];
    assert_eq!(seen(&User::new(), "", SET), expected);
}

#[test]
fn a_server_inherits_the_variables_that_its_configuration_names() {
    let seen = seen(&User::new(), "inherit = [\"DOCKER_HOST\", \"GITHUB_*\", \"PIP_*\", \"UNSET\"]", SET);
    for name in ["DOCKER_HOST", "GITHUB_TOKEN", SECRET] {
        assert!(seen.contains(&name.to_owned()), "{name}: {seen:?}");
    }
    assert!(!seen.contains(&"AWS_PROFILE".to_owned()), "{seen:?}");
}

#[test]
fn init_names_inherited_variables_and_secrets_that_are_not() {
    let user = User::new();
    user.write(
        "list.json",
        r#"{"mcpServers": {"box": {"command": "docker", "args": ["run", "mcp/github"]}}}"#,
    );
    let mut command = user.command(&["--json", "init", "--from", "list.json"]);
    command.envs(SET.iter().map(|name| (*name, "set")));
    let done = ended(command, "").succeeds();
    assert!(
        done.stdout.contains("box does not get GITHUB_TOKEN: add what it needs to its inherit"),
        "{done:?}"
    );
    assert!(text(&user.own_configuration()).contains("inherit = [\"DOCKER_HOST\"]"), "{done:?}");
}
