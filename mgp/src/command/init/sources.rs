//! The files that servers are imported from.

use crate::{error::CliError, exit::Exit, meant::question};
use mgp_discovery::{
    config::{ServerConfig, Transport, server_id},
    locate::Environment,
    mcp_servers::{Candidate, Host, HostContext, ImportResult, candidates, disabled_in_project, import},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    time::Duration,
};

/// Another host's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::command) struct Source {
    pub(in crate::command) name: String,
    pub(in crate::command) path: PathBuf,
    pub(in crate::command) context: HostContext,
}

impl Source {
    /// Returns the file of a candidate, with the context in which its host reads it.
    pub(in crate::command) fn of(found: Candidate, environment: &Environment) -> Self {
        let disabled = match found.host {
            Host::ClaudeCode if found.project => disabled_in_project(environment),
            _ => BTreeSet::new(),
        };
        let (host, folder) = (Some(found.host), Some(environment.cwd.clone()));
        Self {
            name: found.host.name().to_owned(),
            path: found.path,
            context: HostContext { host, folder, project: found.project, disabled },
        }
    }
}

/// The servers of several files, merged.
#[derive(Debug, Default)]
pub(in crate::command) struct Servers {
    pub(in crate::command) servers: Vec<ServerConfig>,
    /// The offered tools, for servers that offer only some of theirs.
    pub(in crate::command) offered: BTreeMap<String, Vec<String>>,
    /// Remarks for the user: the renamed servers, and the servers that were left out, with the reason.
    pub(in crate::command) remarks: Vec<String>,
}

/// Returns the files to read: the named ones, or else every file of the user's own hosts. A project's files are read only for a
/// project's configuration, because their author may not be the user.
pub(super) fn sources(
    environment: &Environment,
    from: &[String],
    project: bool,
) -> Result<Vec<Source>, CliError> {
    let known = || candidates(environment).into_iter().filter(|found| found.path.is_file());
    let source = |found: Candidate| Source::of(found, environment);
    if from.is_empty() {
        return Ok(known().filter(|found| project || !found.project).map(source).collect());
    }
    let mut sources = Vec::new();
    for name in from {
        let Some(host) = Host::with_id(name) else {
            let path = environment.absolute(name);
            // A host's own file has the host's units and variables, even if it is named by its path.
            let of_host = known().find(|found| found.path == path).map(|found| source(found).context);
            let folder = Some(environment.cwd.clone());
            let context = of_host.unwrap_or(HostContext { folder, ..HostContext::default() });
            sources.push(Source { name: name.clone(), path, context });
            continue;
        };
        let before = sources.len();
        sources.extend(known().filter(|found| found.host == host).map(source));
        if sources.len() == before {
            let error = CliError::new(Exit::NotFound, format!("{} has no file here", host.name()));
            return Err(error.help("name the file itself: `mgp init --from FILE`"));
        }
    }
    Ok(sources)
}

/// Returns a remark for each file of the project whose servers are left out of the user's configuration. `command` takes them in.
pub(in crate::command) fn unread(
    environment: &Environment,
    from: &[String],
    project: bool,
    command: &str,
) -> Vec<String> {
    let found = candidates(environment).into_iter().filter(|found| found.project && found.path.is_file());
    let remark = |found: Candidate| {
        let (host, path) = (found.host.name(), found.path.display());
        format!("{host}: {path} belongs to this project and was left out: `{command}` imports it")
    };
    if project || !from.is_empty() { Vec::new() } else { found.map(remark).collect() }
}

/// Returns a remark on the hosts in which the gateway cannot ask about calls, and on the handling of calls there.
pub(in crate::command) fn without_forms(sources: &[Source], wait: Duration) -> Option<String> {
    let mut hosts = Vec::new();
    for host in sources.iter().filter_map(|source| source.context.host) {
        if !host.shows_forms() && !hosts.contains(&host.name()) {
            hosts.push(host.name());
        }
    }
    (!hosts.is_empty()).then(|| {
        format!(
            "{}: no question can be shown there, so a call that needs an approval waits up to {} s \
             (permissions.wait_ms) for `mgp approve` in a terminal, and can be made again after it",
            hosts.join(" and "),
            wait.as_secs()
        )
    })
}

/// Reads several files into one list.
pub(super) fn read(sources: &[Source]) -> Result<Servers, CliError> {
    let mut all = Servers::default();
    for Source { name, path, context } in sources {
        let shown = path.display();
        let bytes = std::fs::read(path).map_err(|error| {
            let hosts: Vec<_> = Host::all().map(Host::id).collect();
            let (question, hosts) = (question(name, hosts.iter().copied()), hosts.join(", "));
            CliError::new(Exit::NotFound, format!("failed to read {shown}: {error}"))
                .help(format!("{question}expected a file with a list of servers, or one of {hosts}"))
        })?;
        let imported = match import(&bytes, context) {
            Ok(imported) => imported,
            // A host without servers is not an error if several files are read.
            Err(mgp_discovery::mcp_servers::ImportError::NoServers) if sources.len() > 1 => continue,
            Err(error) => return Err(CliError::new(Exit::Configuration, format!("{shown}: {error}"))),
        };
        merge(&mut all, name, imported);
    }
    all.remarks.extend(without_credentials(&all.servers));
    Ok(all)
}

/// Adds the servers of one file to a list, with a remark for each that is renamed or left out.
pub(in crate::command) fn merge(all: &mut Servers, name: &str, imported: ImportResult) {
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
    all.remarks.extend(imported.remarks.into_iter().map(|remark| format!("{name}: {remark}")));
    for server in imported.servers {
        let offered = imported.offered.get(&server.id).cloned();
        if let (Some(id), Some(tools)) = (add(all, name, server), offered) {
            all.offered.insert(id, tools);
        }
    }
}

/// Returns the remark on servers at a URL without credentials. Other hosts log in to such a server on demand; the gateway opens a browser
/// only if the configuration allows it.
pub(in crate::command) fn without_credentials(servers: &[ServerConfig]) -> Option<String> {
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

/// Adds a server, unless the list already has it or it is this program. Returns the id under which it was added.
fn add(all: &mut Servers, source: &str, mut server: ServerConfig) -> Option<String> {
    if is_this_program(&server) {
        all.remarks.push(format!("{source}: mgp itself was left out"));
        return None;
    }
    let same = |known: &ServerConfig| ServerConfig { id: server.id.clone(), ..known.clone() } == server;
    if all.servers.iter().any(same) {
        return None;
    }
    let taken = |id: &str| all.servers.iter().any(|known| known.id == id);
    if taken(&server.id) {
        let free = (2..)
            .map(|number| format!("{}-{number}", server.id))
            .find(|id| !taken(id) && server_id(id).is_ok());
        // If the id is too long for a number, there is no free one.
        let free = free.filter(|id| server_id(id).is_ok())?;
        all.remarks.push(format!("{source}: {:?} is called {free} here", server.id));
        server.id = free;
    }
    let id = server.id.clone();
    all.servers.push(server);
    Some(id)
}

/// Returns `true` if a server is this program. A gateway behind itself would start itself endlessly.
pub(in crate::command) fn is_this_program(server: &ServerConfig) -> bool {
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
                Source { name: format!("Host {i}"), path, context: HostContext::default() }
            })
            .collect();
        read(&sources).unwrap()
    }

    #[test]
    fn equal_servers_of_two_hosts_are_merged_and_others_renamed() {
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
    fn servers_at_a_url_without_credentials_are_named_for_a_login() {
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
    fn the_offered_tools_of_a_renamed_server_are_kept() {
        let all = read_files(&[
            r#"{"mcpServers": {"a": {"command": "x", "includeTools": ["one"]}}}"#,
            r#"{"mcpServers": {"a": {"command": "y", "includeTools": ["two"]}, "b": {"command": "z"}}}"#,
        ]);
        let names = |tool: &str| vec![tool.to_owned()];
        assert_eq!(
            all.offered,
            BTreeMap::from([("a".to_owned(), names("one")), ("a-2".to_owned(), names("two"))])
        );
    }

    #[test]
    fn only_hosts_without_forms_are_named() {
        let of = |host| {
            let context = HostContext { host, ..HostContext::default() };
            Source { name: String::new(), path: PathBuf::new(), context }
        };
        let wait = Duration::from_secs(45);
        let hosts = [Host::Cursor, Host::ClaudeDesktop, Host::GeminiCli, Host::GeminiCli];
        let remark = without_forms(&hosts.map(|host| of(Some(host))), wait).unwrap();
        assert!(
            remark.starts_with("Claude Desktop and Gemini CLI: no question can be shown there"),
            "{remark}"
        );
        assert!(remark.contains("waits up to 45 s"), "{remark}");
        assert_eq!(without_forms(&[of(None), of(Some(Host::ClaudeCode))], wait), None);
    }

    #[test]
    fn the_gateway_is_not_put_behind_itself() {
        let all = read_files(&[r#"{"mcpServers": {"mgp": {"command": "/usr/bin/mgp", "args": ["serve"]}}}"#]);
        assert!(all.servers.is_empty());
        assert_eq!(all.remarks, ["Host 0: mgp itself was left out"]);
    }
}
