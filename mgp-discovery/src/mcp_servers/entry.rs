//! One server of another host's list.

use crate::config::{Secret, ServerConfig, Text, Transport};
use mgp_types::json::RawObject;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// Turns an entry into a server with an id. Members that only the other host understands are left out.
pub(super) fn server(id: &str, mut entry: RawObject) -> Result<ServerConfig, String> {
    let mut server = ServerConfig::new(id);
    let kind: Option<String> = take(&mut entry, "type")?;
    server.command = take::<String>(&mut entry, "command")?.as_deref().map(text).transpose()?;
    server.args = texts(&take::<Vec<String>>(&mut entry, "args")?.unwrap_or_default())?;
    server.env = secrets(take(&mut entry, "env")?.unwrap_or_default())?;
    server.cwd = take::<String>(&mut entry, "cwd")?.as_deref().map(text).transpose()?;
    // Some hosts say `httpUrl` or `serverUrl` for what others call `url`.
    for key in ["url", "httpUrl", "serverUrl"] {
        if let Some(url) = take::<String>(&mut entry, key)? {
            server.url.get_or_insert(text(&url)?);
        }
    }
    server.headers = secrets(take(&mut entry, "headers")?.unwrap_or_default())?;
    server.disabled = take(&mut entry, "disabled")?.unwrap_or(false)
        || take(&mut entry, "enabled")?.is_some_and(|enabled: bool| !enabled);
    server.transport = transport(kind.as_deref())?;
    match server.transport() {
        Transport::Stdio if server.command.is_none() => Err("it has neither a command nor a url".to_owned()),
        Transport::Http if server.url.is_none() => Err("it has no url".to_owned()),
        _ => Ok(only_what_its_transport_uses(server)),
    }
}

fn transport(kind: Option<&str>) -> Result<Option<Transport>, String> {
    match kind {
        None => Ok(None),
        Some("stdio") => Ok(Some(Transport::Stdio)),
        // The server itself is asked which of the two transports over HTTP it speaks.
        Some("http" | "streamable-http" | "streamableHttp" | "sse") => Ok(Some(Transport::Http)),
        Some(other) => Err(format!("its type {other:?} is not known: expected stdio or http")),
    }
}

/// Clears the values that the transport does not use: our own files refuse such keys, and other hosts' lists are full
/// of empty ones.
fn only_what_its_transport_uses(mut server: ServerConfig) -> ServerConfig {
    match server.transport() {
        Transport::Stdio => {
            server.url = None;
            server.headers.clear();
        }
        Transport::Http => {
            server.command = None;
            server.args.clear();
            server.env.clear();
            server.cwd = None;
        }
    }
    server
}

/// Takes a member out of the entry; `null` counts as absent.
fn take<T: DeserializeOwned>(entry: &mut RawObject, key: &str) -> Result<Option<T>, String> {
    entry.take::<Option<T>>(key).map(Option::flatten).map_err(|error| error.to_string())
}

fn texts(values: &[String]) -> Result<Vec<Text>, String> {
    values.iter().map(|value| text(value)).collect()
}

fn secrets(values: BTreeMap<String, String>) -> Result<BTreeMap<String, Secret>, String> {
    values.into_iter().map(|(name, value)| Ok((name, Secret::from(variables(&value)?)))).collect()
}

fn text(value: &str) -> Result<Text, String> {
    variables(value).map(Text::from)
}

/// Puts other hosts' variables, `${env:NAME}`, into our form. Variables that only an editor can fill in are refused.
fn variables(value: &str) -> Result<String, String> {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find("${") {
        out.push_str(&rest[..at]);
        let inside = rest[at + 2..].split_once('}');
        let Some((name, after)) = inside else { return Err(unknown(&rest[at..])) };
        let variable = name.strip_prefix("env:").unwrap_or(name);
        let legal = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if variable.is_empty() || !variable.chars().all(legal) {
            return Err(unknown(&format!("${{{name}}}")));
        }
        out.push_str(&format!("${{{variable}}}"));
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

fn unknown(variable: &str) -> String {
    let shown: String = variable.chars().take(64).collect();
    format!("only that host can fill in {shown:?}: expected ${{NAME}} or ${{env:NAME}}")
}
