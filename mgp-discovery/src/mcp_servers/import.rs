//! Turns another host's file into servers of ours.

use super::{ImportError, comments, entry};
use crate::config::{ServerConfig, server_id};
use mgp_types::json::{RawJson, RawObject};

/// The largest file that is read, in bytes. Some hosts keep much more than their servers in it.
const MAX_SIZE: usize = 32 * 1024 * 1024;

/// The most servers that are read from one file.
const MAX_SERVERS: usize = 1_000;

/// The result of importing a file.
#[derive(Debug, Clone, Default)]
pub struct ImportResult {
    /// The servers, in the file's order.
    pub servers: Vec<ServerConfig>,
    /// The servers whose name cannot be their id here.
    pub renamed: Vec<RenamedServer>,
    /// The servers that cannot be used.
    pub skipped: Vec<SkippedServer>,
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

/// Reads another host's file.
///
/// # Errors
/// [`ImportError`] if the file as a whole cannot be read; a single bad server is skipped and named.
///
/// ```
/// let file = br#"{"mcpServers": {"time": {"command": "uvx", "args": ["mcp-server-time"]}}}"#;
/// let imported = mgp_discovery::mcp_servers::import(file)?;
/// assert_eq!(imported.servers[0].id, "time");
/// # Ok::<(), mgp_discovery::mcp_servers::ImportError>(())
/// ```
pub fn import(bytes: &[u8]) -> Result<ImportResult, ImportError> {
    if bytes.len() > MAX_SIZE {
        return Err(ImportError::TooLarge { size: bytes.len(), limit: MAX_SIZE });
    }
    let text = String::from_utf8_lossy(bytes);
    let file = RawObject::parse(comments::plain(text.trim_start_matches('\u{feff}')))?;
    let mut imported = ImportResult::default();
    for (i, (name, value)) in list(&file)?.iter().enumerate() {
        let outcome = if i < MAX_SERVERS {
            read(name, value, &mut imported)
        } else {
            Err(format!("only the first {MAX_SERVERS} servers are read"))
        };
        if let Err(reason) = outcome {
            imported.skipped.push(SkippedServer { name: name.to_owned(), reason });
        }
    }
    Ok(imported)
}

/// Returns the list of servers, under any of the names that hosts give it.
fn list(file: &RawObject) -> Result<RawObject, ImportError> {
    let inside = file.object("mcp").and_then(|mcp| mcp.get("servers").cloned());
    let found = file.get("mcpServers").or_else(|| file.get("servers")).cloned().or(inside);
    Ok(RawObject::from_json(&found.ok_or(ImportError::NoServers)?)?)
}

fn read(name: &str, value: &RawJson, imported: &mut ImportResult) -> Result<(), String> {
    let entry = RawObject::from_json(value).map_err(|error| error.to_string())?;
    let id = id_for(name, &imported.servers);
    let server = entry::server(&id, entry)?;
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
        let ImportResult { servers, renamed, skipped } = import(file.as_bytes()).unwrap();
        let mut shown: Vec<String> = servers
            .iter()
            .map(|server| toml::to_string(server).unwrap().trim_end().replace('\n', "; "))
            .collect();
        shown.extend(renamed.iter().map(|renamed| format!("{:?} is now {}", renamed.name, renamed.id)));
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
    fn servers_that_cannot_be_used_are_named_with_the_reason() {
        let file = r#"{"mcpServers": {
            "a": {}, "b": {"type": "sse", "url": "http://x"}, "c": {"command": 7}, "d": [],
            "e": {"command": "x", "args": ["${input:key}"]}, "f": {"type": "http"}, "g": {"type": "carrier-pigeon"},
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
                skipped "e": only that host can fill in "${input:key}": expected ${NAME} or ${env:NAME}
                skipped "f": it has no url
                skipped "g": its type "carrier-pigeon" is not known: expected stdio or http"#]],
        );
    }

    #[test]
    fn a_file_that_is_no_list_is_refused() {
        assert!(matches!(import(b"{"), Err(ImportError::Json(_))));
        assert!(matches!(import(b"{}"), Err(ImportError::NoServers)));
        assert!(matches!(import(br#"{"servers": 1}"#), Err(ImportError::Json(_))));
        assert!(matches!(import(br#"{"mcpServers": {"a": {}, "a": {}}}"#), Err(ImportError::Json(_))));
    }
}
