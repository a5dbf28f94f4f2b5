//! The environment variables that an imported server needs.
//!
//! Most hosts start their servers with their whole environment. The gateway passes on only a few variables
//! (docs/configuration.md, "Environment of servers").

use mgp_discovery::config::{ServerConfig, Text};
use mgp_transport::child::ChildCommand;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// The variables of programs whose names do not begin with the program's name. Each entry has the words that identify the program, and
/// names of variables; a name ending in `_` is a prefix.
const NEEDS: &[(&[&str], &[&str])] = &[
    (&["docker", "podman"], &["DOCKER_", "CONTAINER_HOST", "XDG_RUNTIME_DIR"]),
    (
        &["playwright", "puppeteer", "browser", "chrome", "chromium", "firefox", "selenium"],
        &["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "PLAYWRIGHT_", "PUPPETEER_"],
    ),
    (&["kubernetes", "kubectl", "k8s", "helm"], &["KUBECONFIG", "KUBE_"]),
    (&["awslabs"], &["AWS_"]),
    (&["gcloud", "gcp"], &["GOOGLE_", "CLOUDSDK_"]),
    (&["github", "gh"], &["GH_", "GITHUB_"]),
    (&["postgres", "postgresql", "psql"], &["PGHOST", "PGPORT", "PGUSER", "PGDATABASE", "PGPASSWORD"]),
    (&["node", "npx", "npm", "pnpm", "yarn", "bunx", "bun"], &["NVM_", "PNPM_", "BUN_", "VOLTA_"]),
    (&["python", "python3", "uv", "uvx", "pipx"], &["VIRTUAL_ENV", "PYENV_", "PIPX_"]),
    (&["cargo"], &["CARGO_HOME", "RUSTUP_"]),
    (&["go"], &["GOPATH", "GOPROXY", "GOFLAGS", "GOPRIVATE", "GOBIN", "GOROOT"]),
    (&["java", "jbang", "mvn", "gradle"], &["JAVA_", "JDK_", "MAVEN_"]),
    (&["dotnet", "dnx"], &["DOTNET_", "NUGET_"]),
];

/// Words that identify neither a program nor a service.
const COMMON: &[&str] = &[
    "api", "app", "cli", "dev", "exec", "http", "latest", "main", "mcp", "mgp", "run", "server", "servers",
    "start", "stdio", "tool", "tools",
];

/// The endings of names of variables that change the code that a program runs. They are never passed on unless the
/// user asks.
const CODE: &[&str] = &["COMMAND", "NODE_PATH", "OPTIONS", "OPTS", "PRELOAD", "PYTHONPATH"];

/// The maximum number of words of a server that are considered.
const MAX_WORDS: usize = 64;

/// The set variables that a server probably needs and would not get.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct NeededVariables {
    pub(super) names: Vec<String>,
    /// The variables whose names suggest secrets.
    pub(super) secrets: Vec<String>,
}

impl NeededVariables {
    /// Returns the variables that a server needs.
    pub(super) fn of(server: &ServerConfig, variables: &BTreeMap<String, String>) -> Self {
        if server.command.is_none() {
            return Self::default();
        }
        let words = words(server);
        let rows = NEEDS.iter().filter(|(names, _)| names.iter().any(|name| words.contains(*name)));
        let mut starts: BTreeSet<String> =
            rows.flat_map(|(_, starts)| starts.iter().map(|start| (*start).to_owned())).collect();
        // Shorter words are too common.
        let own = words.iter().filter(|word| word.len() >= 3 && !COMMON.contains(&word.as_str()));
        starts.extend(own.map(|word| format!("{}_", word.to_ascii_uppercase())));
        let is_needed = |name: &&String| {
            let is_of_server = starts.contains(*name)
                || starts.iter().any(|start| start.ends_with('_') && name.starts_with(start.as_str()));
            is_of_server
                && !CODE.iter().any(|end| name.ends_with(end))
                && !ChildCommand::inherits(name)
                && !server.env.contains_key(*name)
        };
        let needed = variables.keys().filter(is_needed).cloned();
        let (secrets, names) = needed.partition(|name| ChildCommand::names_secret(name));
        Self { names, secrets }
    }
}

/// Returns the words of a server's id, program and arguments, in lower case.
pub(super) fn words(server: &ServerConfig) -> BTreeSet<String> {
    let program = server.command.as_ref().map_or("", Text::written);
    let program = Path::new(program).file_stem().and_then(|stem| stem.to_str()).unwrap_or(program);
    // Options and paths may contain any words.
    let is_name = |arg: &&str| !arg.starts_with(['-', '/', '.', '~']) && !arg.contains(['=', '$', ' ', '\\']);
    let args = server.args.iter().map(Text::written).filter(is_name);
    let texts = [&*server.id, program].into_iter().chain(args);
    let words = texts.flat_map(|text| text.split(|c: char| !c.is_ascii_alphanumeric()));
    words.filter(|word| !word.is_empty()).take(MAX_WORDS).map(str::to_ascii_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needed(id: &str, line: &[&str], set: &[&str]) -> (Vec<String>, Vec<String>) {
        let mut server = ServerConfig::new(id);
        server.command = Some(line[0].into());
        server.args = line[1..].iter().map(|arg| Text::from(*arg)).collect();
        server.env.insert("DOCKER_CONTEXT".into(), "own".into());
        let variables = set.iter().map(|name| ((*name).to_owned(), "x".to_owned())).collect();
        let NeededVariables { names, secrets } = NeededVariables::of(&server, &variables);
        (names, secrets)
    }

    #[test]
    fn variables_named_after_a_server_are_imported_with_it() {
        let set = [
            "AWS_PROFILE",
            "AWS_SECRET_ACCESS_KEY",
            "DISPLAY",
            "DOCKER_CONTEXT",
            "DOCKER_HOST",
            "GITHUB_TOKEN",
            "NODE_OPTIONS",
            "MCP_DEBUG",
            "PATH",
            "SENTRY_DSN",
            "UV_INDEX_URL",
        ];
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        for (id, line, taken, secrets) in [
            ("x", &["docker", "run", "-i", "mcp/thing"][..], &["DOCKER_HOST"][..], &[][..]),
            ("x", &["/usr/bin/npx", "-y", "@playwright/mcp@latest"], &["DISPLAY"], &[]),
            ("gh", &["npx", "@modelcontextprotocol/server-github"], &[], &["GITHUB_TOKEN"]),
            ("x", &["uvx", "awslabs.core-mcp-server"], &["AWS_PROFILE"], &["AWS_SECRET_ACCESS_KEY"]),
            ("sentry", &["x"], &["SENTRY_DSN"], &[]),
            ("x", &["node", "--only=sentry", "run sentry", "/sentry"], &[], &[]),
        ] {
            assert_eq!(needed(id, line, &set), (names(taken), names(secrets)), "{id} {line:?}");
        }
    }

    #[test]
    fn a_server_at_a_url_needs_no_variables() {
        let mut server = ServerConfig::new("sentry");
        server.url = Some("https://x.example".into());
        let set = BTreeMap::from([("SENTRY_DSN".to_owned(), "x".to_owned())]);
        assert_eq!(NeededVariables::of(&server, &set), NeededVariables::default());
    }
}
