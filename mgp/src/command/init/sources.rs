//! The files that servers are imported from.

use crate::{error::CliError, exit::Exit};
use mgp_discovery::{
    config::{ServerConfig, Transport, server_id},
    locate::Environment,
    mcp_servers::{Host, candidates, import},
};
use std::path::{Path, PathBuf};

/// Another host's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) name: String,
    pub(super) path: PathBuf,
}

/// The servers of several files, merged.
#[derive(Debug, Default)]
pub(super) struct Servers {
    pub(super) servers: Vec<ServerConfig>,
    /// Remarks for the user: the servers that were renamed, and the ones that were left out with the reason.
    pub(super) remarks: Vec<String>,
}

/// The host names that `--from` accepts.
const HOSTS: [(&str, Host); 6] = [
    ("claude-desktop", Host::ClaudeDesktop),
    ("claude-code", Host::ClaudeCode),
    ("cursor", Host::Cursor),
    ("vscode", Host::VsCode),
    ("windsurf", Host::Windsurf),
    ("gemini-cli", Host::GeminiCli),
];

/// Returns the files that are read: those that are named, or else every file of the user's own hosts. A project's files are read
/// only for a project's configuration, because their author need not be the user.
pub(super) fn sources(
    environment: &Environment,
    from: &[String],
    project: bool,
) -> Result<Vec<Source>, CliError> {
    let known = || candidates(environment).into_iter().filter(|found| found.path.is_file());
    let source = |name: &str, path| Source { name: name.to_owned(), path };
    if from.is_empty() {
        let own = known().filter(|found| project || !found.project);
        return Ok(own.map(|found| source(found.host.name(), found.path)).collect());
    }
    let mut sources = Vec::new();
    for name in from {
        let Some((_, host)) = HOSTS.iter().find(|(known, _)| known == name) else {
            sources.push(source(name, environment.absolute(name)));
            continue;
        };
        let before = sources.len();
        sources
            .extend(known().filter(|found| found.host == *host).map(|found| source(host.name(), found.path)));
        if sources.len() == before {
            let error = CliError::new(Exit::NotFound, format!("{} has no file here", host.name()));
            return Err(error.help("name the file itself: `mgp init --from FILE`"));
        }
    }
    Ok(sources)
}

/// Reads several files into one list.
pub(super) fn read(sources: &[Source]) -> Result<Servers, CliError> {
    let mut all = Servers::default();
    for Source { name, path } in sources {
        let shown = path.display();
        let bytes = std::fs::read(path).map_err(|error| {
            let hosts = HOSTS.map(|(name, _)| name).join(", ");
            CliError::new(Exit::NotFound, format!("failed to read {shown}: {error}"))
                .help(format!("expected a file with a list of servers, or one of {hosts}"))
        })?;
        let imported = match import(&bytes) {
            Ok(imported) => imported,
            // A host without servers is not an error if several files are read.
            Err(mgp_discovery::mcp_servers::ImportError::NoServers) if sources.len() > 1 => continue,
            Err(error) => return Err(CliError::new(Exit::Configuration, format!("{shown}: {error}"))),
        };
        let own: Vec<_> = imported
            .servers
            .iter()
            .filter(|server| is_this_program(server))
            .map(|server| server.id.clone())
            .collect();
        for renamed in imported.renamed.into_iter().filter(|renamed| !own.contains(&renamed.id)) {
            all.remarks.push(format!("{name}: {:?} is called {} here", renamed.name, renamed.id));
        }
        for skipped in imported.skipped {
            all.remarks.push(format!("{name}: {:?} was left out: {}", skipped.name, skipped.reason));
        }
        for server in imported.servers {
            add(&mut all, name, server);
        }
    }
    all.remarks.extend(without_credentials(&all.servers));
    Ok(all)
}

/// Returns the remark on servers at a URL that come without credentials. Other hosts log in to such a server as soon as it wants that; here,
/// a browser is opened only where the configuration says so.
fn without_credentials(servers: &[ServerConfig]) -> Option<String> {
    let is_bare = |server: &&ServerConfig| {
        server.transport() == Transport::Http && server.auth.is_none() && server.headers.is_empty()
    };
    let ids: Vec<_> = servers.iter().filter(is_bare).map(|server| server.id.as_str()).collect();
    (!ids.is_empty()).then(|| {
        format!(
            "no credentials came with {}: where `mgp servers` says HTTP 401, write `auth.oauth = {{}}` into the server's table, to log in with a browser",
            ids.join(", ")
        )
    })
}

/// Adds a server, unless the list already has it or it is this program.
fn add(all: &mut Servers, source: &str, mut server: ServerConfig) {
    if is_this_program(&server) {
        all.remarks.push(format!("{source}: mgp itself was left out"));
        return;
    }
    let same = |known: &ServerConfig| ServerConfig { id: server.id.clone(), ..known.clone() } == server;
    if all.servers.iter().any(same) {
        return;
    }
    let taken = |id: &str| all.servers.iter().any(|known| known.id == id);
    if taken(&server.id) {
        let free = (2..)
            .map(|number| format!("{}-{number}", server.id))
            .find(|id| !taken(id) && server_id(id).is_ok());
        // A name that is too long for a number has no free form.
        let Some(free) = free.filter(|id| server_id(id).is_ok()) else { return };
        all.remarks.push(format!("{source}: {:?} is called {free} here", server.id));
        server.id = free;
    }
    all.servers.push(server);
}

/// Returns `true` if a server is this program: a gateway behind itself would start itself without end.
fn is_this_program(server: &ServerConfig) -> bool {
    let program = server.command.as_ref().map(|command| Path::new(command.written()).to_owned());
    let name = program.as_deref().and_then(Path::file_stem).and_then(|name| name.to_str());
    name == Some("mgp") && server.args.iter().any(|argument| argument.written() == "serve")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_files(files: &[&str]) -> Servers {
        let folder = tempfile::tempdir().unwrap();
        let sources: Vec<_> = files
            .iter()
            .enumerate()
            .map(|(i, text)| {
                let path = folder.path().join(i.to_string());
                std::fs::write(&path, text).unwrap();
                Source { name: format!("Host {i}"), path }
            })
            .collect();
        read(&sources).unwrap()
    }

    #[test]
    fn one_server_of_two_hosts_is_one_and_two_of_one_name_are_two() {
        let all = read_files(&[
            r#"{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}}"#,
            r#"{"mcpServers": {"a": {"command": "x"}, "b": {"command": "z"}}}"#,
            "{}",
        ]);
        let ids: Vec<_> = all.servers.iter().map(|server| server.id.as_str()).collect();
        assert_eq!(ids, ["a", "b", "b-2"]);
        assert_eq!(all.remarks, [r#"Host 1: "b" is called b-2 here"#]);
    }

    #[test]
    fn servers_at_a_url_that_come_without_credentials_are_named_with_the_setting_for_a_login() {
        let all = read_files(&[
            r#"{"mcpServers": {"a": {"url": "https://a.example/mcp"}, "b": {"command": "x"},
                "c": {"url": "https://c.example/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}}}}"#,
            r#"{"mcpServers": {"d": {"url": "https://d.example/mcp", "headers": {}}}}"#,
        ]);
        let [remark] = all.remarks.as_slice() else { panic!("{:?}", all.remarks) };
        assert!(
            remark.starts_with("no credentials came with a, d: ") && remark.contains("`auth.oauth = {}`")
        );
    }

    #[test]
    fn the_gateway_is_not_put_behind_itself() {
        let all = read_files(&[r#"{"mcpServers": {"mgp": {"command": "/usr/bin/mgp", "args": ["serve"]}}}"#]);
        assert!(all.servers.is_empty());
        assert_eq!(all.remarks, ["Host 0: mgp itself was left out"]);
    }
}
