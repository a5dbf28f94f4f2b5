//! The configuration file that `mgp init` writes.

use crate::{error::CliError, exit::Exit};
use mgp_discovery::config::{Grant, SCHEMA_URL, ServerConfig, ServerMgp};
use mgp_store::private_file::PrivateFile;
use mgp_types::{access::AccessDecision, permission::PermissionPolicy};
use serde::Serialize;
use std::{collections::BTreeMap, fs, path::Path};
use toml::Table;

/// The part of a configuration that is written. Everything else keeps its default.
#[derive(Serialize)]
struct File<'a> {
    kernel: Kernel<'a>,
    permissions: Permissions,
    #[serde(flatten)]
    servers: ServersWithGrants,
}

/// The servers and the grants of an agent to use them.
#[derive(Serialize)]
struct ServersWithGrants {
    #[serde(skip_serializing_if = "Access::is_empty")]
    access: Access,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    servers: Vec<Entry>,
}

/// A server's table, without MGP and confinement settings that have their defaults.
#[derive(Serialize)]
struct Entry {
    #[serde(flatten)]
    server: ServerConfig,
    #[serde(skip_serializing_if = "Option::is_none")]
    confinement: Option<Table>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mgp: Option<Table>,
}

#[derive(Serialize)]
struct Kernel<'a> {
    agent: &'a str,
}

#[derive(Serialize)]
struct Permissions {
    policy: PermissionPolicy,
}

#[derive(Serialize)]
struct Access {
    grants: Vec<Grant>,
}

impl Access {
    fn is_empty(&self) -> bool {
        self.grants.is_empty()
    }
}

const HEAD: &str = "\
# Made by `mgp init`, `mgp connect` or `mgp add`. Every key: docs/configuration.md.
# `interactive`: you are asked for what a server needs, at the host or with `mgp approve`.
# The grants let the agent use the servers below; nobody else may use anything.

";

/// Returns the file's text: a line that names the schema for editors, the servers, an agent, its grants, and the policy. If `offered` lists a
/// server's tools, the agent may use only those.
pub(in crate::command) fn text(
    agent: &str,
    servers: &[ServerConfig],
    offered: &BTreeMap<String, Vec<String>>,
) -> Result<String, CliError> {
    let file = File {
        kernel: Kernel { agent },
        permissions: Permissions { policy: PermissionPolicy::Interactive },
        servers: with_grants(agent, servers, offered)?,
    };
    Ok(format!("#:schema {SCHEMA_URL}\n{HEAD}{}", toml::to_string(&file).map_err(CliError::failed)?))
}

/// Returns the text that adds servers, and the grants to use them, at the end of a file.
pub(in crate::command) fn addition(
    agent: &str,
    servers: &[ServerConfig],
    offered: &BTreeMap<String, Vec<String>>,
) -> Result<String, CliError> {
    toml::to_string(&with_grants(agent, servers, offered)?).map_err(CliError::failed)
}

fn with_grants(
    agent: &str,
    servers: &[ServerConfig],
    offered: &BTreeMap<String, Vec<String>>,
) -> Result<ServersWithGrants, CliError> {
    let grants = |server: &ServerConfig| {
        let tools = match offered.get(&server.id) {
            Some(tools) => tools.iter().cloned().map(Some).collect(),
            None => vec![None],
        };
        let grant = |tool| Grant {
            agent: agent.to_owned(),
            server: server.id.clone(),
            tool,
            permission: AccessDecision::Allow,
        };
        tools.into_iter().map(grant).collect::<Vec<_>>()
    };
    Ok(ServersWithGrants {
        access: Access { grants: servers.iter().flat_map(grants).collect() },
        servers: servers.iter().map(Entry::of).collect::<Result<_, _>>()?,
    })
}

impl Entry {
    fn of(server: &ServerConfig) -> Result<Self, CliError> {
        let confinement = server.confinement.as_ref().map(changed).transpose()?.flatten();
        let mgp = changed::<ServerMgp>(&server.settings())?;
        let server = ServerConfig { confinement: None, mgp: None, ..server.clone() };
        Ok(Self { server, confinement, mgp })
    }
}

/// Returns the settings of a table that differ from their defaults, if there are any.
fn changed<T: Serialize + Default>(settings: &T) -> Result<Option<Table>, CliError> {
    let mut changed = Table::try_from(settings).map_err(CliError::failed)?;
    let defaults = Table::try_from(T::default()).map_err(CliError::failed)?;
    changed.retain(|key, value| defaults.get(key) != Some(&*value));
    Ok((!changed.is_empty()).then_some(changed))
}

/// Checks that the file may be written: an existing one is replaced only with `force`.
pub(super) fn may_write(path: &Path, force: bool) -> Result<(), CliError> {
    if path.exists() && !force {
        return Err(CliError::new(Exit::Configuration, format!("{} is there already", path.display()))
            .help("look at the new one with --dry-run, and replace the old one with --force"));
    }
    Ok(())
}

/// Writes the file so that only its owner can read it, because it may contain keys of servers.
pub(super) fn write(path: &Path, text: &str) -> Result<(), CliError> {
    // Others may need to read the folder: it may be a project's.
    let written = path.parent().map_or(Ok(()), fs::create_dir_all);
    let written = written.and_then(|()| PrivateFile::new(path).replace(text.as_bytes()));
    written.map_err(|error| {
        CliError::new(Exit::Configuration, format!("failed to write {}: {error}", path.display()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use mgp_discovery::config::Config;

    #[test]
    fn the_file_grants_the_agent_its_imports_and_is_readable() {
        let mut server = ServerConfig::new("time");
        server.command = Some("uvx".into());
        server.args = vec!["mcp-server-time".into()];
        server.env.insert("KEY".into(), "secret".to_owned().into());
        server.mgp = Some(ServerMgp { call_timeout_ms: Some(5_000), ..ServerMgp::default() });
        let mut part = ServerConfig::new("part");
        part.command = Some("x".into());
        let offered = BTreeMap::from([("part".to_owned(), vec!["one".to_owned(), "two".to_owned()])]);
        let text = text("local", &[server, part], &offered).unwrap();
        expect![[r#"
            [kernel]
            agent = "local"

            [permissions]
            policy = "interactive"

            [[access.grants]]
            agent = "local"
            server = "time"

            [[access.grants]]
            agent = "local"
            server = "part"
            tool = "one"

            [[access.grants]]
            agent = "local"
            server = "part"
            tool = "two"

            [[servers]]
            id = "time"
            command = "uvx"
            args = ["mcp-server-time"]

            [servers.env]
            KEY = "secret"

            [servers.mgp]
            call_timeout_ms = 5000

            [[servers]]
            id = "part"
            command = "x"
        "#]]
        .assert_eq(text.split_once(HEAD).unwrap().1);
        let first = "#:schema https://raw.githubusercontent.com/mgp-rs/mgp/main/docs/schemas/mgp.toml.json";
        assert_eq!(text.lines().next(), Some(first), "editors read the schema's address there");
        let config = Config::parse("x".as_ref(), text.as_bytes(), &|_| None).unwrap();
        assert_eq!(config.access.grants[0].server, "time");
    }
}
