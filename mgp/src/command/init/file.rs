//! The file that is written.

use crate::{error::CliError, exit::Exit};
use mgp_discovery::config::{Grant, ServerConfig};
use mgp_store::private_file::PrivateFile;
use mgp_types::{access::AccessDecision, permission::PermissionPolicy};
use serde::Serialize;
use std::{fs, path::Path};

/// The part of a configuration that is written; everything else keeps its default.
#[derive(Serialize)]
struct File<'a> {
    kernel: Kernel<'a>,
    permissions: Permissions,
    access: Access,
    servers: &'a [ServerConfig],
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

const HEAD: &str = "\
# Made by `mgp init`. Every key: docs/configuration.md.
# `interactive`: what a server needs is asked of you, at the host or with `mgp approve`.
# The grants let the agent use the servers below; nobody else may use anything.

";

/// The file's text: the servers, an agent, its grants for them, and the policy.
pub(super) fn text(agent: &str, servers: &[ServerConfig]) -> Result<String, CliError> {
    let grant = |server: &ServerConfig| Grant {
        agent: agent.to_owned(),
        server: server.id.clone(),
        tool: None,
        permission: AccessDecision::Allow,
    };
    let file = File {
        kernel: Kernel { agent },
        permissions: Permissions { policy: PermissionPolicy::Interactive },
        access: Access { grants: servers.iter().map(grant).collect() },
        servers,
    };
    Ok(format!("{HEAD}{}", toml::to_string(&file).map_err(CliError::failed)?))
}

/// Writes the file so that only its owner can read it, because servers' keys stand in it. What is there is replaced only
/// with `force`.
pub(super) fn write(path: &Path, text: &str, force: bool) -> Result<(), CliError> {
    if path.exists() && !force {
        return Err(CliError::new(Exit::Configuration, format!("{} is there already", path.display()))
            .help("look at the new one with --dry-run, and replace the old one with --force"));
    }
    // The folder may be a project's, which others read.
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
    fn the_file_grants_the_agent_what_it_imports_and_can_be_read_again() {
        let mut server = ServerConfig::new("time");
        server.command = Some("uvx".into());
        server.args = vec!["mcp-server-time".into()];
        server.env.insert("KEY".into(), "secret".to_owned().into());
        let text = text("local", &[server]).unwrap();
        expect![[r#"
            [kernel]
            agent = "local"

            [permissions]
            policy = "interactive"

            [[access.grants]]
            agent = "local"
            server = "time"

            [[servers]]
            id = "time"
            command = "uvx"
            args = ["mcp-server-time"]

            [servers.env]
            KEY = "secret"
        "#]]
        .assert_eq(text.strip_prefix(HEAD).unwrap());
        let config = Config::parse("x".as_ref(), text.as_bytes(), &|_| None).unwrap();
        assert_eq!(config.access.grants[0].server, "time");
    }
}
