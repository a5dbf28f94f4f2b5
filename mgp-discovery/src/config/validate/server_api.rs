//! The keys of a server that is an HTTP API.

use super::{checks::Checks, server::address};
use crate::config::{ApiRule, ServerConfig, path::KeyPath};

/// Checks the document, its base URL and its rules. The credentials are checked like those of any server over HTTP.
pub(super) fn api(server: &ServerConfig, path: &KeyPath, checks: &mut Checks<'_>) {
    match &server.openapi {
        None => {
            checks.say(path.key("openapi"), "missing: expected the OpenAPI document, a file or a URL");
        }
        Some(document) if document.value().trim().is_empty() => {
            checks.say(path.key("openapi"), "empty: expected the OpenAPI document, a file or a URL");
        }
        Some(document) if is_url(document.value()) => {
            address(document.value(), &path.key("openapi"), "expected a document without a login", checks);
        }
        Some(document) => checks.path(path.key("openapi"), document),
    }
    if let Some(url) = &server.base_url
        && url.sources().next().is_none()
        && !(server.disabled && url.written().contains("${"))
    {
        address(url.value(), &path.key("base_url"), "use the auth table instead", checks);
    }
    let oauth = server.auth.as_ref().and_then(|auth| auth.oauth.as_ref());
    if oauth.is_some() && server.base_url.is_none() {
        // Tokens are bound to the origin that they are for, which the document does not decide.
        checks.say(path.key("auth").key("oauth"), "needs base_url, the URL of the API that tokens are for");
    }
    for (key, rules) in [("include", &server.include), ("exclude", &server.exclude)] {
        checks.count(path.key(key), rules.len());
        for (i, rule) in rules.iter().enumerate() {
            one(rule, &path.key(key).index(i), checks);
        }
    }
}

fn one(rule: &ApiRule, path: &KeyPath, checks: &mut Checks<'_>) {
    if *rule == ApiRule::default() {
        checks.say(path.clone(), "empty: expected tag, path, method or operation");
    }
    for (key, text) in [("tag", &rule.tag), ("path", &rule.path), ("operation", &rule.operation)] {
        if let Some(text) = text {
            checks.name(path.key(key), text);
        }
    }
    if let Some(pattern) = rule.path.as_ref().filter(|pattern| !pattern.starts_with(['/', '*'])) {
        checks.say(
            path.key("path"),
            format!("{pattern:?} matches no path: expected one such as \"/users/**\""),
        );
    }
}

/// Returns whether the document is at a URL.
pub(super) fn is_url(document: &str) -> bool {
    document.contains("://")
}
