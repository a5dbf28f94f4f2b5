//! One server of another host's list.

use super::{
    timeouts,
    variables::{Variables, literal},
};
use crate::config::{Secret, ServerConfig, ServerMgp, Text, Transport};
use mgp_types::json::RawObject;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A server with its offered tools; `None` for all of them.
pub(super) type ServerWithTools = (ServerConfig, Option<Vec<String>>);

/// Turns an entry into a server with an id. Members that are specific to the other host are left out.
pub(super) fn server(
    id: &str,
    mut entry: RawObject,
    variables: &mut Variables<'_>,
) -> Result<ServerWithTools, String> {
    let mut server = ServerConfig::new(id);
    let kind: Option<String> = take(&mut entry, "type")?;
    let kind = kind.or_else(|| entry.take_readable("transport"));
    // Some hosts have the program and its arguments in one list.
    let line: Vec<String> = entry.take_readable("command").unwrap_or_default();
    let command = match take::<String>(&mut entry, "command")? {
        Some(command) => Some(command),
        None => take(&mut entry, "cmd")?.or_else(|| line.first().cloned()),
    };
    server.command = command.map(|command| variables.text(&command)).transpose()?;
    let args: Vec<String> = take(&mut entry, "args")?.unwrap_or_default();
    let args = line.iter().skip(1).chain(&args);
    server.args = args.map(|arg| variables.text(arg)).collect::<Result<_, _>>()?;
    for key in ["env", "environment", "envs"] {
        server.env.extend(secrets(&mut entry, key, variables)?);
    }
    server.inherit = entry.take_readable("env_vars").unwrap_or_default();
    for key in ["cwd", "workingDirectory", "working_directory"] {
        if let Some(folder) = take::<String>(&mut entry, key)? {
            server.cwd.get_or_insert(variables.text(&folder)?);
        }
    }
    // Some hosts use `httpUrl` or `serverUrl` instead of `url`.
    for key in ["url", "httpUrl", "serverUrl", "uri"] {
        if let Some(url) = take::<String>(&mut entry, key)? {
            server.url.get_or_insert(variables.text(&url)?);
        }
    }
    for key in ["headers", "http_headers"] {
        server.headers.extend(secrets(&mut entry, key, variables)?);
    }
    take_variables(&mut entry, &mut server, variables);
    let is_off = |entry: &mut RawObject, key| {
        take(entry, key).map(|is_on: Option<bool>| is_on.is_some_and(|is_on| !is_on))
    };
    server.disabled = take(&mut entry, "disabled")?.unwrap_or(false)
        || is_off(&mut entry, "enabled")?
        || is_off(&mut entry, "active")?;
    server.transport = transport(kind.as_deref())?;
    let mgp = ServerMgp {
        disabled: tools(&mut entry, &["disabledTools", "excludeTools", "disabled_tools"]),
        call_timeout_ms: timeouts::call(&mut entry, variables),
        startup_timeout_ms: timeouts::startup(&mut entry),
        ..ServerMgp::default()
    };
    server.mgp = (mgp != ServerMgp::default()).then_some(mgp);
    let offered = tools(&mut entry, &["includeTools", "enabled_tools", "enabledTools", "tools"]);
    let offered = (!offered.is_empty() && !offered.iter().any(|tool| tool == "*")).then_some(offered);
    for (key, instead) in [
        ("envFile", "write its variables under [servers.env]"),
        ("headersHelper", "write the headers under [servers.headers]"),
    ] {
        if entry.get(key).is_some() {
            variables.remark(format!("{key} is not read: {instead}"));
        }
    }
    match server.transport() {
        Transport::Stdio if server.command.is_none() => Err("it has neither a command nor a url".to_owned()),
        Transport::Http if server.url.is_none() => Err("it has no url".to_owned()),
        _ => Ok((in_its_folder(only_what_its_transport_uses(server), variables), offered)),
    }
}

/// Takes the names of variables out of the entry, which some hosts have instead of values.
fn take_variables(entry: &mut RawObject, server: &mut ServerConfig, variables: &mut Variables<'_>) {
    if let Some(name) = entry.take_readable::<String>("bearer_token_env_var") {
        server.headers.insert("Authorization".to_owned(), format!("Bearer ${{{name}}}").into());
    }
    let of_headers: BTreeMap<String, String> = entry.take_readable("env_http_headers").unwrap_or_default();
    server
        .headers
        .extend(of_headers.into_iter().map(|(header, name)| (header, format!("${{{name}}}").into())));
    for name in entry.take_readable::<Vec<String>>("env_keys").unwrap_or_default() {
        variables.remark(format!("set {name}, which the host keeps in its own store of secrets"));
        server.inherit.push(name);
    }
}

fn transport(kind: Option<&str>) -> Result<Option<Transport>, String> {
    match kind {
        None => Ok(None),
        Some("stdio" | "local") => Ok(Some(Transport::Stdio)),
        // The server itself is asked which of the two transports over HTTP it speaks.
        Some("http" | "streamable-http" | "streamableHttp" | "streamable_http" | "sse" | "remote") => {
            Ok(Some(Transport::Http))
        }
        Some(other) => Err(format!("its type {other:?} is not known: expected stdio or http")),
    }
}

/// Clears the values that the transport does not use: our own files refuse them, and other hosts' lists are full of empty ones.
fn only_what_its_transport_uses(mut server: ServerConfig) -> ServerConfig {
    match server.transport() {
        Transport::Stdio => {
            server.url = None;
            server.headers.clear();
        }
        // A host's entry has none of these keys.
        Transport::Openapi | Transport::Commands => {}
        Transport::Http => {
            server.command = None;
            server.args.clear();
            server.env.clear();
            server.inherit.clear();
            server.cwd = None;
        }
    }
    server
}

/// Sets the folder in which a host runs the servers of a project.
fn in_its_folder(mut server: ServerConfig, variables: &Variables<'_>) -> ServerConfig {
    let context = variables.context;
    if let Some(folder) = context.folder.as_deref().filter(|_| context.project)
        && server.transport() == Transport::Stdio
    {
        let own = server.cwd.as_ref().map_or("", Text::written);
        if !own.starts_with("${") {
            // The server's own absolute folder stays.
            let folder = if own.is_empty() { folder.to_owned() } else { folder.join(own) };
            server.cwd = folder.to_str().map(|folder| Text::from(literal(folder)));
        }
    }
    server
}

/// Takes a member out of the entry; `null` counts as absent.
fn take<T: DeserializeOwned>(entry: &mut RawObject, key: &str) -> Result<Option<T>, String> {
    entry.take::<Option<T>>(key).map(Option::flatten).map_err(|error| error.to_string())
}

/// Takes the names of tools out of the entry, under any of the keys.
fn tools(entry: &mut RawObject, keys: &[&str]) -> Vec<String> {
    let lists = keys.iter().filter_map(|key| entry.take_readable::<Vec<String>>(key));
    let names: BTreeSet<String> = lists.flatten().collect();
    // Our own files refuse other names.
    let is_name = |name: &String| {
        (1..=256).contains(&name.len()) && name.trim() == name && !name.contains(char::is_control)
    };
    names.into_iter().filter(is_name).collect()
}

/// Takes named values out of the entry. Some hosts also write numbers, and `null` for no value.
fn secrets(
    entry: &mut RawObject,
    key: &str,
    variables: &mut Variables<'_>,
) -> Result<BTreeMap<String, Secret>, String> {
    let values: BTreeMap<String, Value> = take(entry, key)?.unwrap_or_default();
    let mut secrets = BTreeMap::new();
    for (name, value) in values {
        let text = match value {
            Value::Null => continue,
            Value::String(text) => text,
            Value::Bool(_) | Value::Number(_) => value.to_string(),
            Value::Array(_) | Value::Object(_) => return Err(format!("{key}.{name} is not text")),
        };
        secrets.insert(name, Secret::from(variables.text(&text)?.written()));
    }
    Ok(secrets)
}
