//! The text of a way for `mgp.toml`.

use super::{Entry, EntryStatus, Way, names::one_line};
use crate::config::{Secret, ServerConfig, Text};
use serde::Serialize;
use std::collections::BTreeMap;

/// The part of a file that is written.
#[derive(Serialize)]
struct File<'a> {
    servers: [Server<'a>; 1],
}

#[derive(Serialize)]
struct Server<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    args: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    env: BTreeMap<&'a str, &'a str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    headers: BTreeMap<&'a str, &'a str>,
    mgp: Mgp,
}

#[derive(Serialize)]
struct Mgp {
    trust_level: &'static str,
}

/// Returns the text that adds a server to `mgp.toml` under an id: a comment with its description and the values that it
/// needs, and its table.
///
/// # Errors
/// A sentence if the server cannot be written as TOML.
pub fn snippet(entry: &Entry, way: &Way, id: &str) -> Result<String, String> {
    let ServerConfig { command, args, url, env, headers, .. } = &way.server;
    let server = Server {
        id,
        command: command.as_ref().map(Text::written),
        args: args.iter().map(Text::written).collect(),
        url: url.as_ref().map(Text::written),
        env: written(env),
        headers: written(headers),
        mgp: Mgp { trust_level: "sandboxed" },
    };
    let table = toml::to_string(&File { servers: [server] }).map_err(|error| error.to_string())?;
    let mut lines =
        vec![format!("# {}, from a registry of servers: {}", one_line(&entry.name, 200), way.title)];
    if let Some(description) = &entry.description {
        lines.push(format!("# {}", one_line(description, 200)));
    }
    match entry.status {
        EntryStatus::Active => {}
        EntryStatus::Deprecated => {
            lines.push("# It is deprecated: look for its replacement.".to_owned());
        }
        EntryStatus::Deleted => {
            lines
                .push("# It is deleted from the registry: its author or the registry removed it.".to_owned());
        }
    }
    for need in &way.needs {
        let what = if need.what.is_empty() { String::new() } else { format!(": {}", need.what) };
        let secret = if need.secret { " (secret)" } else { "" };
        lines.push(if need.required {
            format!("# Set {}{secret}{what}", need.variable)
        } else {
            format!("# Not set: {}{secret}{what}", need.of)
        });
    }
    Ok(format!("{}\n{table}", lines.join("\n")))
}

fn written(table: &BTreeMap<String, Secret>) -> BTreeMap<&str, &str> {
    table.iter().map(|(name, value)| (name.as_str(), value.written())).collect()
}
