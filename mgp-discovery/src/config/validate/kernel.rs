//! `[kernel]` and `[http]`.

use super::{checks::Checks, oauth, server_mgp::IDLE_SECS};
use crate::config::{EmbedderKind, HttpConfig, KernelConfig, ToolIndexConfig, path::KeyPath};
use mgp_types::tool_index::ToolContextBudget;

pub(super) fn kernel(config: &KernelConfig, checks: &mut Checks<'_>) {
    let path = KeyPath::root().key("kernel");
    checks.name(path.key("agent"), &config.agent);
    checks.count(path.key("pinned"), config.pinned.len());
    for (i, name) in config.pinned.iter().enumerate() {
        checks.name(path.key("pinned").index(i), name);
    }
    checks.distinct(&path.key("pinned"), "tool", config.pinned.iter().map(String::as_str));
    if let Some(folder) = &config.state_dir {
        checks.path(path.key("state_dir"), folder);
        if folder.value().is_empty() {
            checks.say(path.key("state_dir"), "empty: expected a folder");
        }
    }
    let timeouts = [
        ("call_timeout_ms", config.call_timeout_ms),
        ("validation_timeout_ms", config.validation_timeout_ms),
        ("discovery_timeout_ms", config.discovery_timeout_ms),
        ("startup_timeout_ms", config.startup_timeout_ms),
        ("shutdown_timeout_ms", config.shutdown_timeout_ms),
        ("question_timeout_ms", config.question_timeout_ms),
    ];
    for (key, timeout) in timeouts {
        checks.range(path.key(key), timeout, 1..=86_400_000);
    }
    checks.range(path.key("call_max_ms"), config.call_max_ms, 0..=86_400_000);
    if let Some(timeout) = config.queue_timeout_ms {
        checks.range(path.key("queue_timeout_ms"), timeout, 1..=86_400_000);
    }
    checks.range(path.key("lock_timeout_ms"), config.lock_timeout_ms, 1..=600_000);
    checks.range(path.key("max_retries"), config.max_retries, 0..=10);
    checks.range(path.key("start_wait_ms"), config.start_wait_ms, 0..=600_000);
    checks.range(path.key("idle_timeout_secs"), config.idle_timeout_secs, IDLE_SECS);
    checks.range(path.key("idle_exit_secs"), config.idle_exit_secs, IDLE_SECS);
    environment(&config.environment, &path.key("environment"), checks);
    checks.range(path.key("search_results"), config.search_results, 1..=50);
    if let Some(text) = &config.instructions {
        checks.text(path.key("instructions"), text);
    }
    checks.range(path.key("instructions_tokens"), config.instructions_tokens, 0..=100_000);
    budget(&config.tool_context_budget, &path.key("tool_context_budget"), checks);
    tool_index(&config.tool_index, &path.key("tool_index"), checks);
    let limits = path.key("limits");
    checks.range(limits.key("max_servers"), config.limits.max_servers, 1..=1_000);
    checks.range(limits.key("max_tools_per_server"), config.limits.max_tools_per_server, 1..=100_000);
    checks.range(limits.key("max_concurrent_calls"), config.limits.max_concurrent_calls, 1..=100_000);
}

/// The most variables of the login shell.
const MAX_ENVIRONMENT: usize = 64;

/// The variables that decide where a gateway is found, besides those of this program. With another value, hosts would not find it.
const OF_PLACE: [&str; 11] = [
    "HOME",
    "PATH",
    "SHELL",
    "TEMP",
    "TMP",
    "TMPDIR",
    "USER",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
];

/// Checks the names of the login shell's variables, which become words of a command.
fn environment(names: &[String], path: &KeyPath, checks: &mut Checks<'_>) {
    if names.len() > MAX_ENVIRONMENT {
        checks.say(path.clone(), format!("{} names: expected at most {MAX_ENVIRONMENT}", names.len()));
    }
    for (i, name) in names.iter().enumerate() {
        let is_legal = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(is_legal) || name.starts_with(|c: char| c.is_ascii_digit()) {
            let expected = "expected letters, digits and '_', with no digit first, such as \"SSH_AUTH_SOCK\"";
            checks.say(path.index(i), format!("{name:?} is not the name of a variable: {expected}"));
        } else if OF_PLACE.contains(&name.as_str()) || name.starts_with("MGP_") {
            checks.advise(
                path.index(i),
                format!("{name} decides where hosts find the gateway: expected another variable"),
                "PATH is always taken; the others are those of the host",
            );
        } else {
            checks.name(path.index(i), name);
        }
    }
    checks.distinct(path, "variable", names.iter().map(String::as_str));
}

fn tool_index(config: &ToolIndexConfig, path: &KeyPath, checks: &mut Checks<'_>) {
    let texts =
        [("model", &config.model), ("reranker", &config.reranker), ("models_dir", &config.models_dir)];
    for (key, text) in texts {
        if let Some(text) = text {
            checks.name(path.key(key), text.value());
            checks.path(path.key(key), text);
        }
    }
    if config.embedder == EmbedderKind::None && config.model.is_some() {
        checks
            .say(path.key("model"), "no embedder to use it: expected embedder = \"fastembed\" or \"static\"");
    }
    if let Some(threads) = config.threads {
        checks.range(path.key("threads"), threads, 1..=1_024);
    }
}

fn budget(budget: &ToolContextBudget, path: &KeyPath, checks: &mut Checks<'_>) {
    let numbers = [
        ("max_tokens", budget.max_tokens),
        ("pinned_reserve", budget.pinned_reserve),
        ("discovery_reserve", budget.discovery_reserve),
        ("cache_limit", budget.cache_limit),
    ];
    for (key, tokens) in numbers {
        checks.range(path.key(key), tokens, 0..=ToolContextBudget::MAX_TOKENS);
    }
    if let Err(error) = budget.check() {
        checks.say(path.clone(), error.to_string());
    }
}

/// The upper bound of `http.total_body_limit`, in bytes.
const MAX_TOTAL_BODY: usize = 2 * 1024 * 1024 * 1024 - 1;

pub(super) fn http(config: &HttpConfig, checks: &mut Checks<'_>) {
    let path = KeyPath::root().key("http");
    for (key, values) in
        [("allowed_hosts", &config.allowed_hosts), ("allowed_origins", &config.allowed_origins)]
    {
        checks.count(path.key(key), values.len());
        for (i, value) in values.iter().enumerate() {
            checks.name(path.key(key).index(i), value);
        }
    }
    for (i, origin) in config.allowed_origins.iter().enumerate() {
        if !origin_is_one(origin) {
            let message =
                format!("{origin:?} is not an origin: expected one such as \"https://example.com:8443\"");
            checks.say(path.key("allowed_origins").index(i), message);
        }
    }
    keys(config, &path.key("api_keys"), checks);
    if let Some(tokens) = &config.oauth {
        oauth::oauth(tokens, config, &path.key("oauth"), checks);
    }
    checks.range(path.key("body_limit"), config.body_limit, 1_024..=64 * 1024 * 1024);
    checks.range(path.key("total_body_limit"), config.total_body_limit, config.body_limit..=MAX_TOTAL_BODY);
    if let Some(most) = config.total_body_limit_per_agent {
        checks.range(path.key("total_body_limit_per_agent"), most, config.body_limit..=MAX_TOTAL_BODY);
    }
    checks.range(path.key("body_secs"), config.body_secs, 1..=3_600);
    checks.range(path.key("max_connections"), config.max_connections, 2..=100_000);
    if let Some(most) = config.max_unauthenticated_connections {
        checks.range(
            path.key("max_unauthenticated_connections"),
            most,
            1..=config.max_connections.max(2) - 1,
        );
    }
    if let Some(most) = config.max_connections_per_agent {
        checks.range(path.key("max_connections_per_agent"), most, 1..=100_000);
    }
    checks.range(path.key("head_secs"), config.head_secs, 1..=600);
    checks.range(path.key("max_sessions"), config.max_sessions, 1..=100_000);
    if let Some(most) = config.max_sessions_per_agent {
        checks.range(path.key("max_sessions_per_agent"), most, 1..=100_000);
    }
    checks.range(path.key("session_idle_secs"), config.session_idle_secs, 1..=604_800);
    checks.range(path.key("shutdown_delay_ms"), config.shutdown_delay_ms, 0..=600_000);
    if let Some(address) = config.listen.filter(|listen| !listen.ip().is_loopback())
        && config.api_keys.is_empty()
        && config.oauth.is_none()
    {
        let message = format!("{address} can be reached from other machines and there is no API key");
        checks.advise(path.key("listen"), message, "add http.api_keys or http.oauth, or listen on 127.0.0.1");
    }
}

fn keys(config: &HttpConfig, path: &KeyPath, checks: &mut Checks<'_>) {
    checks.count(path.clone(), config.api_keys.len());
    let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    for (i, key) in config.api_keys.iter().enumerate() {
        let path = path.index(i);
        checks.name(path.key("id"), &key.id);
        checks.name(path.key("agent"), &key.agent);
        if key.hash.len() != 64 || !key.hash.bytes().all(hex) {
            // The value is not shown, because it may be the key itself.
            let message = "not a hash: expected the SHA-256 of the key in 64 lower-case hexadecimal digits";
            checks.advise(path.key("hash"), message, "make one with: printf %s \"$KEY\" | sha256sum");
        }
    }
    checks.distinct(path, "key", config.api_keys.iter().map(|key| key.id.as_str()));
    checks.distinct(path, "hash", config.api_keys.iter().map(|key| key.hash.as_str()));
}

/// Returns whether a text is an origin as sent by browsers: only a scheme, a host and a port.
pub(super) fn origin_is_one(origin: &str) -> bool {
    url::Url::parse(origin).is_ok_and(|url| url.origin().ascii_serialization() == origin && url.has_host())
}
