//! The names of channels and the patterns of subscriptions, and their bounds.

use super::{MAX_FILTER, MAX_FILTER_BYTES, MAX_NAME, MAX_PATTERNS, MAX_TTL};
use mgp_types::{
    events::{SubscribeParams, matches_channel},
    rpc::ErrorObject,
};
use std::collections::HashSet;

/// The error returned for a name that is not valid for a channel.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid channel {name:?}: expected 1 to {MAX_NAME} characters without blanks, controls and `*`")]
pub struct InvalidChannel {
    /// The beginning of the name.
    pub name: String,
}

/// Checks the name of a channel.
///
/// # Errors
/// [`InvalidChannel`].
pub fn check_channel(name: &str) -> Result<(), InvalidChannel> {
    if is_name(name) { Ok(()) } else { Err(InvalidChannel { name: short(name) }) }
}

/// Checks the bounds of a request to subscribe.
///
/// # Errors
/// -32602, with the member and the expectation.
pub fn check_params(params: &SubscribeParams) -> Result<(), ErrorObject> {
    let invalid = |problem: String| Err(ErrorObject::invalid_params(format!("invalid params: {problem}")));
    let count = params.channels.len();
    if count == 0 || count > MAX_PATTERNS {
        return invalid(format!("channels: expected 1 to {MAX_PATTERNS} names, found {count}"));
    }
    if let Some(pattern) = params.channels.iter().find(|pattern| !is_pattern(pattern)) {
        let expected = format!(
            "expected a channel, `prefix.*` or `*`, of at most {MAX_NAME} characters without blanks and controls"
        );
        return invalid(format!("channels: {:?}: {expected}", short(pattern)));
    }
    if let Some(filter) = &params.filter {
        let servers = filter.servers.as_ref().map_or(0, Vec::len);
        for (member, count) in [("servers", servers), ("members of data", filter.other.len())] {
            if count > MAX_FILTER {
                return invalid(format!("filter: {member}: expected at most {MAX_FILTER}, found {count}"));
            }
        }
        let mut servers = filter.servers.iter().flatten();
        if let Some(id) = servers.find(|id| id.chars().count() > MAX_NAME) {
            let expected = format!("expected at most {MAX_NAME} characters");
            return invalid(format!("filter: servers: {:?}: {expected}", short(id)));
        }
        let bytes: usize = filter.other.iter().map(|(key, value)| key.len() + value.as_bytes().len()).sum();
        if bytes > MAX_FILTER_BYTES {
            let expected = format!("expected at most {MAX_FILTER_BYTES} bytes, found {bytes}");
            return invalid(format!("filter: members of data: {expected}"));
        }
    }
    match params.ttl_seconds {
        Some(ttl) if !(1..=MAX_TTL).contains(&ttl) => {
            invalid(format!("ttl_seconds: expected 1 to {MAX_TTL}, found {ttl}"))
        }
        _ => Ok(()),
    }
}

/// Returns the channels that patterns match, each once, and the patterns that match none.
#[must_use]
pub fn resolve(patterns: &[String], channels: &[&str]) -> (Vec<String>, Vec<String>) {
    let (mut subscribed, mut unsupported) = (Vec::<String>::new(), Vec::<String>::new());
    let mut known = HashSet::new();
    for pattern in patterns {
        let mut matches_any = false;
        for channel in channels.iter().filter(|channel| matches_channel(pattern, channel)) {
            matches_any = true;
            if known.insert(*channel) {
                subscribed.push((*channel).to_owned());
            }
        }
        if !matches_any && !unsupported.contains(pattern) {
            unsupported.push(pattern.clone());
        }
    }
    (subscribed, unsupported)
}

fn is_pattern(pattern: &str) -> bool {
    pattern.chars().count() <= MAX_NAME
        && (pattern == "*" || is_name(pattern.strip_suffix(".*").unwrap_or(pattern)))
}

fn is_name(name: &str) -> bool {
    let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && c != '*';
    (1..=MAX_NAME).contains(&name.chars().count()) && name.chars().all(is_plain)
}

/// Returns the beginning of a name, which may be long.
fn short(name: &str) -> String {
    name.chars().take(MAX_NAME).collect()
}
