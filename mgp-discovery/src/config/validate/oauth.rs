//! `[http.oauth]`.

use super::checks::{Checks, MAX_NAME};
use crate::config::{HttpConfig, OAuthConfig, OAuthIntrospection, OAuthIssuer, path::KeyPath};
use mgp_transport::seam::is_scope;
use std::collections::BTreeSet;
use url::{Host, Url};

pub(super) fn oauth(config: &OAuthConfig, http: &HttpConfig, path: &KeyPath, checks: &mut Checks<'_>) {
    if config.issuers.is_empty() && config.introspection.is_none() {
        let help = "add http.oauth.issuers, or http.oauth.introspection";
        checks.advise(path.clone(), "names no authorization server: no token could ever be accepted", help);
    }
    match &config.resource {
        Some(resource) => plain_url(resource, &path.key("resource"), checks),
        None if http.listen.is_some_and(|listen| listen.ip().is_unspecified()) => checks.advise(
            path.clone(),
            "has no resource, and http.listen makes no URL that tokens could be meant for",
            "add resource = \"https://...\", the URL that hosts use",
        ),
        None => {}
    }
    checks.count(path.key("audiences"), config.audiences.len());
    for (i, audience) in config.audiences.iter().enumerate() {
        checks.name(path.key("audiences").index(i), audience);
    }
    issuers(config, path, checks);
    if let Some(asked) = &config.introspection {
        introspection(asked, &path.key("introspection"), checks);
    }
    scopes(&config.required_scopes, &path.key("required_scopes"), checks);
    for (key, table) in [("method_scopes", &config.method_scopes), ("tool_scopes", &config.tool_scopes)] {
        checks.count(path.key(key), table.len());
        for (name, needed) in table {
            checks.name(path.key(key).key(name), name);
            scopes(needed, &path.key(key).key(name), checks);
        }
    }
    if let Some(scope) = &config.admin_scope {
        scopes(std::slice::from_ref(scope), &path.key("admin_scope"), checks);
    }
    checks.name(path.key("agent_claim"), &config.agent_claim);
    if let Some(claim) = &config.admin_claim {
        checks.name(path.key("admin_claim").key("name"), &claim.name);
        checks.name(path.key("admin_claim").key("value"), &claim.value);
    }
    checks.range(path.key("leeway_secs"), config.leeway_secs, 0..=600);
}

fn issuers(config: &OAuthConfig, path: &KeyPath, checks: &mut Checks<'_>) {
    let list = path.key("issuers");
    checks.count(list.clone(), config.issuers.len());
    checks.distinct(&list, "issuer", config.issuers.iter().map(|issuer| issuer.issuer.as_str()));
    let asked = config.introspection.iter().map(|asked| asked.issuer.as_str());
    let names: BTreeSet<_> = config.issuers.iter().map(|it| it.issuer.as_str()).chain(asked).collect();
    let mut prefix = |path: &KeyPath, prefix: Option<&String>| match prefix {
        Some(prefix) if prefix.len() > MAX_NAME || prefix.chars().any(char::is_control) => {
            checks.say(path.key("agent_prefix"), "not a prefix of a name: expected a short text");
        }
        None if names.len() > 1 => checks.advise(
            path.key("agent_prefix"),
            "missing: two authorization servers may give one name to two agents",
            "add agent_prefix = \"...\" to each, or \"\" if their names cannot collide",
        ),
        _ => {}
    };
    for (i, issuer) in config.issuers.iter().enumerate() {
        prefix(&list.index(i), issuer.agent_prefix.as_ref());
    }
    if let Some(asked) = &config.introspection {
        prefix(&path.key("introspection"), asked.agent_prefix.as_ref());
    }
    for (i, issuer) in config.issuers.iter().enumerate() {
        keys_of(issuer, &list.index(i), checks);
    }
}

fn keys_of(issuer: &OAuthIssuer, path: &KeyPath, checks: &mut Checks<'_>) {
    let file = issuer.jwks_file.as_ref();
    match (&issuer.jwks_url, file) {
        (Some(_), Some(_)) => {
            checks.say(path.clone(), "has both jwks_url and jwks_file: expected one of them");
        }
        (Some(url), None) => secure_url(url, &path.key("jwks_url"), checks),
        (None, Some(file)) if file.value().is_empty() => {
            checks.say(path.key("jwks_file"), "empty: expected a file");
        }
        (None, Some(file)) => checks.path(path.key("jwks_file"), file),
        (None, None) => {}
    }
    plain_url(&issuer.issuer, &path.key("issuer"), checks);
    if issuer.jwks_url.is_none() && file.is_none() {
        // The issuer itself is asked for the address of its keys.
        secure_url(&issuer.issuer, &path.key("issuer"), checks);
    }
}

fn introspection(asked: &OAuthIntrospection, path: &KeyPath, checks: &mut Checks<'_>) {
    plain_url(&asked.issuer, &path.key("issuer"), checks);
    secure_url(&asked.url, &path.key("url"), checks);
    checks.name(path.key("client_id"), asked.client_id.value());
    checks.text(path.key("client_secret"), asked.client_secret.reveal());
    checks.range(path.key("remember_secs"), asked.remember_secs, 0..=3_600);
}

pub(super) fn scopes(scopes: &[String], path: &KeyPath, checks: &mut Checks<'_>) {
    checks.count(path.clone(), scopes.len());
    for scope in scopes.iter().filter(|scope| !is_scope(scope)) {
        let message =
            format!("{scope:?} is not a scope: expected visible ASCII without quotes and backslashes");
        checks.say(path.clone(), message);
    }
}

/// Checks a URL that serves as a name.
fn plain_url(text: &str, path: &KeyPath, checks: &mut Checks<'_>) {
    let fits = |url: &Url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
            && !text.contains(['?', '#'])
    };
    if !Url::parse(text).is_ok_and(|url| fits(&url)) {
        let message = format!(
            "{text:?} is not a name: expected a URL of https or http without user name, query and fragment"
        );
        checks.say(path.clone(), message);
    }
}

/// Returns whether a URL names this machine.
pub(super) fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    }
}

/// Checks a URL to which secrets are sent, or from which keys are fetched.
fn secure_url(text: &str, path: &KeyPath, checks: &mut Checks<'_>) {
    let fits = |url: &Url| url.scheme() == "https" || (url.scheme() == "http" && is_local(url));
    if !Url::parse(text).is_ok_and(|url| fits(&url)) {
        checks.say(
            path.clone(),
            format!("{text:?} cannot be used: expected a URL of https, or of http on this machine"),
        );
    }
}
