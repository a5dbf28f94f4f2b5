//! The difference between two configurations, by its effect.

use mgp_discovery::config::{Config, InstanceScope, ServerConfig};
use mgp_types::lifecycle::ConfigurationChange;
use serde_json::Value;
use std::collections::BTreeMap;

/// The keys outside of `[[servers]]` that take effect at once, including everything below them.
const AT_ONCE: [&str; 9] = [
    "access.grants",
    "roles",
    "limits",
    "agents",
    "permissions.policy",
    "permissions.approved",
    "permissions.exceptions",
    "kernel.default_policy",
    "discovery.registry",
];

/// The keys of `[kernel]` that are defaults of servers. A change restarts the servers whose settings change.
const OF_SERVERS: [&str; 10] = [
    "kernel.call_timeout_ms",
    "kernel.call_max_ms",
    "kernel.queue_timeout_ms",
    "kernel.discovery_timeout_ms",
    "kernel.startup_timeout_ms",
    "kernel.shutdown_timeout_ms",
    "kernel.max_retries",
    "kernel.lazy",
    "kernel.idle_timeout_secs",
    "kernel.limits.max_tools_per_server",
];

/// Returns what changes when a running kernel takes over another configuration. For servers and keys that take effect at once, `before` is
/// compared, which the kernel has now; for keys that only a restart applies, `started`, with which the kernel started. Empty if the
/// configuration equals the previous one.
///
/// ```
/// use mgp_kernel::{Configuration, configuration_change};
///
/// let parse = |text: &str| Configuration::parse("mgp.toml".as_ref(), text.as_bytes(), &|_| None);
/// let before = parse("[[servers]]\nid = \"time\"\ncommand = \"mcp-server-time\"\n")?;
/// let after = parse("[kernel]\nagent = \"ann\"\n[[servers]]\nid = \"notes\"\ncommand = \"notes\"\n")?;
/// let change = configuration_change(&before, &before, &after);
/// assert_eq!((&change.added[0][..], &change.removed[0][..]), ("notes", "time"));
/// assert_eq!(change.needs_restart, ["kernel.agent"]);
/// # Ok::<(), mgp_discovery::config::ConfigError>(())
/// ```
#[must_use]
pub fn configuration_change(started: &Config, before: &Config, after: &Config) -> ConfigurationChange {
    if before == after {
        return ConfigurationChange::default();
    }
    let (known, wanted) = (servers(before), servers(after));
    let ids = |of: &BTreeMap<&str, (usize, Settings)>, but: &dyn Fn(&str) -> bool| {
        let mut ids: Vec<_> = of.iter().filter(|(id, _)| !but(id)).collect();
        ids.sort_by_key(|(_, (place, _))| *place);
        ids.into_iter().map(|(id, _)| (*id).to_owned()).collect::<Vec<_>>()
    };
    let is_same = |id: &str| known.get(id).is_none_or(|(_, known)| wanted[id].1 == *known);
    let applied = keys(before, after).into_iter().filter(|key| is_at_once(key) || is_policy(key));
    let is_cold =
        |key: &String| !is_at_once(key) && !is_policy(key) && !OF_SERVERS.iter().any(|of| key == of);
    ConfigurationChange {
        added: ids(&wanted, &|id| known.contains_key(id)),
        removed: ids(&known, &|id| wanted.contains_key(id)),
        restarted: ids(&wanted, &is_same),
        applied: applied.collect(),
        needs_restart: keys(started, after).into_iter().filter(is_cold).collect(),
    }
}

fn is_at_once(key: &str) -> bool {
    AT_ONCE
        .iter()
        .any(|known| key.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

/// Returns whether a key is the default policy of a server, which needs no restart.
fn is_policy(key: &str) -> bool {
    key.starts_with("servers.") && key.ends_with(".default_policy")
}

/// The settings of one server, with the defaults of `[kernel]`.
#[derive(PartialEq)]
struct Settings(ServerConfig, usize);

/// Returns the enabled servers, by id, with their positions.
fn servers(config: &Config) -> BTreeMap<&str, (usize, Settings)> {
    let kernel = &config.kernel;
    let settings = |(place, server): (usize, &'_ ServerConfig)| {
        let mut of_mgp = server.settings().into_owned();
        of_mgp.call_timeout_ms.get_or_insert(kernel.call_timeout_ms);
        of_mgp.call_max_ms.get_or_insert(kernel.call_max_ms);
        of_mgp.queue_timeout_ms = of_mgp.queue_timeout_ms.or(kernel.queue_timeout_ms);
        of_mgp.discovery_timeout_ms.get_or_insert(kernel.discovery_timeout_ms);
        of_mgp.startup_timeout_ms.get_or_insert(kernel.startup_timeout_ms);
        of_mgp.shutdown_timeout_ms.get_or_insert(kernel.shutdown_timeout_ms);
        of_mgp.max_retries.get_or_insert(kernel.max_retries);
        of_mgp.lazy.get_or_insert(kernel.lazy || of_mgp.instances == InstanceScope::Session);
        of_mgp.idle_timeout_secs.get_or_insert(kernel.idle_timeout_secs);
        let whole = ServerConfig { default_policy: None, mgp: Some(of_mgp), ..server.clone() };
        (place, Settings(whole, kernel.limits.max_tools_per_server))
    };
    config
        .enabled()
        .enumerate()
        .map(|(place, server)| (server.id.as_str(), settings((place, server))))
        .collect()
}

/// Returns the keys whose values differ, in order. A list is one value. For a server, only its default policy and its pinned tools
/// count.
fn keys(before: &Config, after: &Config) -> Vec<String> {
    let (before, after) = (leaves(before), leaves(after));
    let mut keys: Vec<_> = before.keys().chain(after.keys()).collect();
    keys.sort();
    keys.dedup();
    keys.into_iter().filter(|key| before.get(*key) != after.get(*key)).cloned().collect()
}

fn leaves(config: &Config) -> BTreeMap<String, Value> {
    let mut leaves = BTreeMap::new();
    let whole = Config { servers: Vec::new(), ..config.clone() };
    collect("", &serde_json::to_value(&whole).unwrap_or_default(), &mut leaves);
    leaves.remove("servers");
    for server in config.enabled() {
        // The tools that are always shown are fixed at the start.
        let pinned = &server.settings().pinned;
        if !pinned.is_empty() {
            leaves.insert(format!("servers.{}.mgp.pinned", server.id), Value::from(pinned.clone()));
        }
        if let Some(policy) = server.default_policy {
            leaves.insert(format!("servers.{}.default_policy", server.id), Value::String(policy.to_string()));
        }
    }
    leaves
}

fn collect(path: &str, value: &Value, leaves: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                let below = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                collect(&below, value, leaves);
            }
        }
        value => drop(leaves.insert(path.to_owned(), value.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Config {
        Config::parse("mgp.toml".as_ref(), text.as_bytes(), &|_| None).unwrap()
    }

    const BEFORE: &str = r#"
        [[servers]]
        id = "stays"
        command = "one"
        [[servers]]
        id = "changes"
        command = "two"
        [[servers]]
        id = "goes"
        command = "three"
    "#;

    #[test]
    fn a_difference_is_named_by_its_effect() {
        let before = config(BEFORE);
        let after = config(
            r#"
            [kernel]
            exposure = "full"
            default_policy = "opt-out"
            [permissions.approved]
            new = ["camera"]
            [[servers]]
            id = "new"
            command = "four"
            [[servers]]
            id = "changes"
            command = "two"
            mgp = { validator = "readonly" }
            [[servers]]
            id = "stays"
            command = "one"
            default_policy = "opt-in"
            [access]
            grants = [{ agent = "a", server = "new" }]
        "#,
        );
        let change = configuration_change(&before, &before, &after);
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(change.added, names(&["new"]));
        assert_eq!(change.removed, names(&["goes"]));
        assert_eq!(change.restarted, names(&["changes"]));
        let applied = [
            "access.grants",
            "kernel.default_policy",
            "permissions.approved.new",
            "servers.stays.default_policy",
        ];
        assert_eq!(change.applied, names(&applied));
        assert_eq!(change.needs_restart, names(&["kernel.exposure"]));
        assert!(configuration_change(&before, &after, &after).is_empty());
        // Keys that wait for a restart are named until the file has the initial value again.
        let more = config(&format!("[kernel]\nexposure = \"full\"\nlazy = true\n{BEFORE}"));
        let change = configuration_change(&before, &before, &more);
        assert_eq!(change.restarted, names(&["stays", "changes", "goes"]));
        assert_eq!((change.needs_restart, change.applied), (names(&["kernel.exposure"]), names(&[])));
        assert!(configuration_change(&before, &more, &before).needs_restart.is_empty());
    }

    #[test]
    fn a_disabled_server_counts_as_removed() {
        let before = config(BEFORE);
        let after = config(&BEFORE.replace("command = \"three\"", "command = \"three\"\ndisabled = true"));
        assert_eq!(configuration_change(&before, &before, &after).removed, ["goes"]);
    }
}
