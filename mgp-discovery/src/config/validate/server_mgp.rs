//! `[servers.mgp]`.

use super::{checks::Checks, people};
use crate::config::{ServerMgp, nearest::nearest, path::KeyPath};
use mgp_types::{tool_index::category_path, tool_security::ValidatorName};
use std::ops::RangeInclusive;

/// The bounds of the time after which an unused server is stopped, in seconds: 30 days at most.
pub(super) const IDLE_SECS: RangeInclusive<u64> = 0..=2_592_000;

/// A day, in milliseconds.
const DAY_MS: u64 = 86_400_000;

pub(super) fn server_mgp(mgp: &ServerMgp, path: &KeyPath, checks: &mut Checks<'_>) {
    checks.count(path.key("extensions"), mgp.extensions.len());
    people::names(&mgp.permissions_required, &path.key("permissions_required"), checks);
    restarts(mgp, path, checks);
    validators(mgp, path, checks);
    sandbox(mgp, path, checks);
    for (key, tools) in
        [("pinned", &mgp.pinned), ("disabled", &mgp.disabled), ("idempotent", &mgp.idempotent)]
    {
        let path = path.key(key);
        checks.count(path.clone(), tools.len());
        for (i, tool) in tools.iter().enumerate() {
            checks.name(path.index(i), tool);
        }
        checks.distinct(&path, "tool", tools.iter().map(String::as_str));
    }
    categories(&mgp.categories, &path.key("categories"), checks);
    checks.count(path.key("fallbacks"), mgp.fallbacks.len());
    for (tool, other) in &mgp.fallbacks {
        checks.name(path.key("fallbacks").key(tool), other);
    }
    checks.count(path.key("compensations"), mgp.compensations.len());
    for (tool, compensation) in &mgp.compensations {
        checks.name(path.key("compensations").key(tool).key("tool"), &compensation.tool);
    }
    if let Some(retries) = mgp.max_retries {
        checks.range(path.key("max_retries"), retries, 0..=10);
    }
    checks.range(path.key("breaker_failures"), mgp.breaker_failures, 0..=1_000);
    checks.range(path.key("breaker_pause_ms"), mgp.breaker_pause_ms, 1..=DAY_MS);
    checks.range(path.key("health_pause_ms"), mgp.health_pause_ms, 1..=DAY_MS);
    if let Some(timeout) = mgp.idle_timeout_secs {
        checks.range(path.key("idle_timeout_secs"), timeout, IDLE_SECS);
    }
    let timeouts = [
        ("call_timeout_ms", mgp.call_timeout_ms),
        ("queue_timeout_ms", mgp.queue_timeout_ms),
        ("discovery_timeout_ms", mgp.discovery_timeout_ms),
        ("startup_timeout_ms", mgp.startup_timeout_ms),
        ("shutdown_timeout_ms", mgp.shutdown_timeout_ms),
    ];
    for (key, timeout) in timeouts {
        if let Some(timeout) = timeout {
            checks.range(path.key(key), timeout, 1..=DAY_MS);
        }
    }
    if let Some(limit) = mgp.call_max_ms {
        checks.range(path.key("call_max_ms"), limit, 0..=DAY_MS);
    }
    checks.range(path.key("max_concurrent"), mgp.max_concurrent, 1..=100_000);
    checks.range(path.key("max_instances"), mgp.max_instances, 1..=1000);
}

/// The most categories of one server.
const MAX_CATEGORIES: usize = 16;

fn categories(categories: &[String], path: &KeyPath, checks: &mut Checks<'_>) {
    if categories.len() > MAX_CATEGORIES {
        let count = categories.len();
        checks.say(path.clone(), format!("{count} entries: expected at most {MAX_CATEGORIES}"));
    }
    for (i, category) in categories.iter().enumerate() {
        if category_path(category).is_none() {
            let shown: String = category.chars().take(64).collect();
            let expected = "expected 1 to 4 levels such as \"work/reports\", at most 128 bytes";
            checks.say(path.index(i), format!("{shown:?} is not a category: {expected}"));
        }
    }
}

fn restarts(mgp: &ServerMgp, path: &KeyPath, checks: &mut Checks<'_>) {
    checks.range(path.key("max_restarts"), mgp.max_restarts, 0..=1_000);
    checks.range(path.key("restart_window_secs"), mgp.restart_window_secs, 1..=86_400);
    checks.range(path.key("backoff_base_ms"), mgp.backoff_base_ms, 1..=DAY_MS);
    checks.range(path.key("backoff_max_ms"), mgp.backoff_max_ms, 1..=DAY_MS);
    if mgp.backoff_max_ms < mgp.backoff_base_ms {
        let message =
            format!("{} is less than backoff_base_ms, which is {}", mgp.backoff_max_ms, mgp.backoff_base_ms);
        checks.say(path.key("backoff_max_ms"), message);
    }
}

fn validators(mgp: &ServerMgp, path: &KeyPath, checks: &mut Checks<'_>) {
    checks.count(path.key("validators"), mgp.validators.len());
    for (tool, validator) in &mgp.validators {
        checks.name(path.key("validators").key(tool), tool);
        known(validator, path.key("validators").key(tool), checks);
    }
    if let Some(validator) = &mgp.validator {
        known(validator, path.key("validator"), checks);
    }
    if let Some(rules) = &mgp.code_safety {
        let path = path.key("code_safety");
        checks.count(path.key("blocked_imports"), rules.blocked_imports.len());
        checks.count(path.key("blocked_patterns"), rules.blocked_patterns.len());
        checks.count(path.key("allowed_imports"), rules.allowed_imports.as_ref().map_or(0, Vec::len));
    }
}

/// The most pointers of one tool.
const MAX_POINTERS: usize = 64;

fn sandbox(mgp: &ServerMgp, path: &KeyPath, checks: &mut Checks<'_>) {
    checks.count(path.key("pointers"), mgp.pointers.len());
    for (tool, pointers) in &mgp.pointers {
        let path = path.key("pointers").key(tool);
        checks.name(path.clone(), tool);
        if pointers.is_empty() || pointers.len() > MAX_POINTERS {
            let count = pointers.len();
            checks.say(path.clone(), format!("{count} entries: expected 1 to {MAX_POINTERS}"));
        }
        for (i, pointer) in pointers.iter().enumerate().filter(|(_, pointer)| !is_pointer(pointer)) {
            let shown: String = pointer.chars().take(64).collect();
            checks.say(
                path.index(i),
                format!("{shown:?} is not a JSON pointer: expected one such as \"/command\""),
            );
        }
    }
    let path = path.key("sandbox");
    checks.count(path.key("programs"), mgp.sandbox.programs.len());
    for (i, program) in mgp.sandbox.programs.iter().enumerate() {
        if program.trim().is_empty() || program.chars().any(char::is_control) {
            checks.say(
                path.key("programs").index(i),
                "expected a program such as \"terraform\", or \"terraform plan\"",
            );
        }
    }
    checks.count(path.key("hosts"), mgp.sandbox.hosts.len());
    for (i, host) in mgp.sandbox.hosts.iter().enumerate() {
        let name = host.strip_prefix("*.").unwrap_or(host);
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-');
        if name.is_empty() || !name.chars().all(plain) {
            checks.say(path.key("hosts").index(i), "expected a host in lower case such as \"example.com\"");
        }
    }
    if let Some(project) = mgp.sandbox.project.as_ref().filter(|project| !is_project(project)) {
        let shown: String = project.chars().take(64).collect();
        let expected = "expected an absolute path without variables, below a home folder or in a folder that only holds the project, such as \"/home/ann/project\"";
        checks.say(path.key("project"), format!("{shown:?} is not a project folder: {expected}"));
    }
}

/// The top-level folders that contain no projects.
const SYSTEM: &[&str] = &[
    "bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "Library", "proc", "run", "sbin", "sys", "System",
    "usr",
];

/// The top-level folders that contain projects but are not projects.
const SHARED: &[&str] = &["home", "mnt", "media", "opt", "private", "root", "srv", "tmp", "Users", "var"];

/// Returns whether a path can be that of a project folder: neither a home folder nor a system folder.
fn is_project(path: &str) -> bool {
    let Some(rest) = path.strip_prefix('/') else { return false };
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    let is_plain =
        |part: &str| !part.is_empty() && !part.starts_with('.') && !part.chars().any(char::is_control);
    if !rest.split('/').all(is_plain) {
        return false;
    }
    match rest.split('/').collect::<Vec<_>>()[..] {
        // Container images keep programs there.
        ["usr", "src", _, ..] => true,
        [first, ..] if SYSTEM.contains(&first) => false,
        ["home" | "Users", _] => false,
        [only] => !SHARED.contains(&only),
        _ => true,
    }
}

/// Returns whether a text is a JSON pointer (RFC 6901).
fn is_pointer(text: &str) -> bool {
    let escaped = |part: &str| part.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
    text.is_empty() || (text.starts_with('/') && escaped(text))
}

/// Reports an unknown validator. It would refuse every call, and is a typo.
fn known(validator: &ValidatorName, path: KeyPath, checks: &mut Checks<'_>) {
    let ValidatorName::Unknown(name) = validator else { return };
    let names: Vec<&str> = ValidatorName::STANDARD.iter().map(ValidatorName::as_str).collect();
    let message = format!("unknown validator {name:?}: expected one of {}", names.join(", "));
    match nearest(name, names.iter().copied()) {
        Some(meant) => checks.advise(path, message, format!("did you mean {meant:?}?")),
        None => checks.say(path, message),
    }
}
