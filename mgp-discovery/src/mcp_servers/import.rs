//! Converts another host's file into servers.

use super::{
    Format, HostContext, ImportError, comments,
    document::{self, MAX_SIZE},
    entry, forms,
    projects::{self, ProjectServers},
    variables::{Input, Variables},
};
use crate::config::{ServerConfig, server_id};
use mgp_types::json::{RawJson, RawObject};
use std::collections::BTreeMap;

/// The most servers that are read from one file.
const MAX_SERVERS: usize = 1_000;

/// The result of importing a file.
#[derive(Debug, Clone, Default)]
pub struct ImportResult {
    /// The servers, in the file's order.
    pub servers: Vec<ServerConfig>,
    /// The servers' names in the file, in the same order.
    pub names: Vec<ImportedName>,
    /// The servers whose name is not usable as an id.
    pub renamed: Vec<RenamedServer>,
    /// The servers that cannot be used.
    pub skipped: Vec<SkippedServer>,
    /// The offered tools of servers that do not offer all of theirs, by the server's id here.
    pub offered: BTreeMap<String, Vec<String>>,
    /// Sentences about values that were converted or left out.
    pub remarks: Vec<String>,
}

/// The name of a server in the file that it was imported from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedName {
    /// The name in the file.
    pub name: String,
    /// True if the server stands in a list for only the project, in the file of the user.
    pub of_project: bool,
}

/// A server that has another name here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenamedServer {
    /// The name in the file.
    pub name: String,
    /// The id here.
    pub id: String,
}

/// A server that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedServer {
    /// The name in the file.
    pub name: String,
    /// The reason that the server cannot be used.
    pub reason: String,
}

/// Reads another host's file, as the host itself would in its context.
///
/// # Errors
/// [`ImportError`] if the file as a whole cannot be read; a single bad server is skipped and named.
///
/// ```
/// let file = br#"{"mcpServers": {"time": {"command": "uvx", "args": ["mcp-server-time"]}}}"#;
/// let imported = mgp_discovery::mcp_servers::import(file, &Default::default())?;
/// assert_eq!(imported.servers[0].id, "time");
/// # Ok::<(), mgp_discovery::mcp_servers::ImportError>(())
/// ```
pub fn import(bytes: &[u8], context: &HostContext) -> Result<ImportResult, ImportError> {
    if bytes.len() > MAX_SIZE {
        return Err(ImportError::TooLarge { size: bytes.len(), limit: MAX_SIZE });
    }
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Err(ImportError::NoServers);
    }
    let file = match context.host.map(|host| (host, host.format())) {
        Some((host, format @ (Format::Toml | Format::Yaml))) => {
            RawObject::parse(forms::usual(host, document::value(format, text)?).to_string())?
        }
        _ => RawObject::parse(comments::plain(text))?,
    };
    let inputs = Input::of(&file);
    let mut imported = ImportResult::default();
    let ProjectServers { servers: of_project, disabled, remark } = projects::of(&file, context);
    imported.remarks.extend(remark);
    let own = match list(&file)? {
        Some(own) => own,
        None if imported.remarks.is_empty() && of_project.is_empty() => return Err(ImportError::NoServers),
        None => RawObject::new(),
    };
    let in_project = HostContext { project: true, ..context.clone() };
    let of_project_first = of_project.iter().map(|(name, value)| (name, value, &in_project));
    let own = own.iter().map(|(name, value)| (name, value, context));
    for (i, (name, value, context)) in of_project_first.chain(own).enumerate() {
        let outcome = if i >= MAX_SERVERS {
            Err(format!("only the first {MAX_SERVERS} servers are read"))
        } else if i >= of_project.len() && of_project.get(name).is_some() {
            Err("the project's own server with this name takes precedence".to_owned())
        } else {
            let mut variables = Variables::new(context, &inputs);
            let is_off_elsewhere = context.disabled.contains(name);
            if is_off_elsewhere {
                variables.remark("the host has it switched off, so it is disabled here".to_owned());
            }
            let is_off = i < of_project.len() && disabled.iter().any(|off| off == name);
            read(name, value, is_off || is_off_elsewhere, &mut variables, &mut imported)
        };
        if outcome.is_ok() {
            imported.names.push(ImportedName { name: name.to_owned(), of_project: i < of_project.len() });
        }
        if let Err(reason) = outcome {
            imported.skipped.push(SkippedServer { name: name.to_owned(), reason });
        }
    }
    Ok(imported)
}

/// Returns the list of servers, under any of the names that hosts give it.
fn list(file: &RawObject) -> Result<Option<RawObject>, ImportError> {
    let names = ["mcpServers", "servers", "mcp_servers", "context_servers", "amp.mcpServers"];
    let mcp = file.object("mcp");
    let inside = mcp.as_ref().and_then(|mcp| mcp.get("servers").cloned());
    let is_list = |found: &&RawJson| !found.is_null();
    if let Some(found) = names.iter().find_map(|name| file.get(name).filter(is_list)).cloned().or(inside) {
        return Ok(Some(RawObject::from_json(&found)?));
    }
    // Some hosts keep the servers themselves there, others rules about servers.
    Ok(mcp.filter(|mcp| !mcp.is_empty() && mcp.iter().all(|(_, value)| RawObject::from_json(value).is_ok())))
}

/// Reads one server. `is_off` is true if the host disables the server elsewhere.
fn read(
    name: &str,
    value: &RawJson,
    is_off: bool,
    variables: &mut Variables<'_>,
    imported: &mut ImportResult,
) -> Result<(), String> {
    let entry = RawObject::from_json(value).map_err(|error| error.to_string())?;
    let id = id_for(name, &imported.servers);
    let (mut server, offered) = entry::server(&id, entry, variables)?;
    server.disabled |= is_off;
    imported.remarks.extend(variables.remarks.drain(..).map(|remark| format!("{name:?}: {remark}")));
    if let Some(tools) = offered {
        imported.offered.insert(id.clone(), tools);
    }
    if id != name {
        imported.renamed.push(RenamedServer { name: name.to_owned(), id });
    }
    imported.servers.push(server);
    Ok(())
}

/// Returns the name if it is a free id, and otherwise the nearest id that is free.
fn id_for(name: &str, taken: &[ServerConfig]) -> String {
    let free = |id: &str| server_id(id).is_ok() && taken.iter().all(|server| server.id != id);
    if free(name) {
        return name.to_owned();
    }
    let legal = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    let base: String = name.chars().map(legal).take(40).collect();
    let base = base.trim_matches(['-', '.']);
    let mut number = 1;
    let mut id = base.to_owned();
    while !free(&id) {
        number += 1;
        id = if server_id(base).is_ok() { format!("{base}-{number}") } else { format!("server-{number}") };
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[expect(clippy::needless_pass_by_value, reason = "expect! makes a value")]
    fn check(file: &str, expected: Expect) {
        let ImportResult { servers, renamed, skipped, remarks, .. } =
            import(file.as_bytes(), &HostContext::default()).unwrap();
        let mut shown: Vec<String> = servers
            .iter()
            .map(|server| toml::to_string(server).unwrap().trim_end().replace('\n', "; "))
            .collect();
        shown.extend(renamed.iter().map(|renamed| format!("{:?} is now {}", renamed.name, renamed.id)));
        shown.extend(remarks.iter().map(|remark| format!("remark {remark}")));
        shown.extend(skipped.iter().map(|skipped| format!("skipped {:?}: {}", skipped.name, skipped.reason)));
        expected.assert_eq(&shown.join("\n"));
    }

    #[test]
    fn a_list_of_command_servers_keeps_its_order() {
        let file = r#"{"other": 1, "mcpServers": {
            "time": {"command": "uvx", "args": ["mcp-server-time", "--tz=${TZ}"], "env": {"A": "${env:B}"}, "autoApprove": []},
            "docs": {"type": "http", "url": "https://docs.example/mcp", "headers": {"X-Key": "k"}},
            "off": {"command": "x", "disabled": true}}}"#;
        check(
            file,
            expect![[r#"
                id = "time"; command = "uvx"; args = ["mcp-server-time", "--tz=${TZ}"]; ; [env]; A = "${B}"
                id = "docs"; transport = "http"; url = "https://docs.example/mcp"; ; [headers]; X-Key = "k"
                id = "off"; command = "x"; disabled = true"#]],
        );
    }

    #[test]
    fn an_editor_s_file_with_comments_is_read() {
        let file = "// mine\n{\"servers\": {\"a b\": {\"command\": \"x\", \"args\": [],},},}";
        check(
            file,
            expect![[r#"
                id = "a-b"; command = "x"
                "a b" is now a-b"#]],
        );
    }

    #[test]
    fn unusable_servers_are_listed_with_the_reason() {
        let file = r#"{"mcpServers": {
            "a": {}, "b": {"type": "sse", "url": "http://x"}, "c": {"command": 7}, "d": [],
            "e": {"command": "x", "args": ["${command:key}"]}, "f": {"type": "http"}, "g": {"type": "carrier-pigeon"},
            "mgp": {"command": "y"}, "日本": {"command": "z"}}}"#;
        check(
            file,
            expect![[r#"
                id = "b"; transport = "http"; url = "http://x"
                id = "server-2"; command = "y"
                id = "server-3"; command = "z"
                "mgp" is now server-2
                "日本" is now server-3
                skipped "a": it has neither a command nor a url
                skipped "c": invalid command: invalid type: integer `7`, expected a string at line 1 column 1
                skipped "d": expected a JSON object, found an array
                skipped "e": only that host can fill in "${command:key}": expected ${NAME}, ${NAME:-default} or ${env:NAME}
                skipped "f": it has no url
                skipped "g": its type "carrier-pigeon" is not known: expected stdio or http"#]],
        );
    }

    #[test]
    fn a_file_that_is_not_a_list_is_refused() {
        let import = |file: &str| import(file.as_bytes(), &HostContext::default());
        assert!(matches!(import("{"), Err(ImportError::Json(_))));
        for file in ["", " \n", "{}", r#"{"mcp": {"allowed": ["a"]}}"#, r#"{"projects": {"/x": null}}"#] {
            assert!(matches!(import(file), Err(ImportError::NoServers)), "{file}");
        }
        assert!(matches!(import(r#"{"servers": 1}"#), Err(ImportError::Json(_))));
        assert!(matches!(import(r#"{"mcpServers": {"a": {}, "a": {}}}"#), Err(ImportError::Json(_))));
    }
}
