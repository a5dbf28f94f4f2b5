//! Servers that keep something of one user's work in their process.

use super::sources::Servers;
use mgp_discovery::config::{InstanceScope, ServerConfig, Text};
use serde::Deserialize;
use std::path::Path;

/// The known packages of such servers, with their sources.
const KNOWN: &str = include_str!("stateful.toml");

#[derive(Deserialize)]
struct PackageTable {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    /// The names of the package and of its images.
    names: Vec<String>,
    /// The state that its process keeps.
    keeps: String,
}

/// Gives each session a process of its own of the servers whose process keeps something of one user's work, with a remark.
pub(in crate::command) fn separate(found: &mut Servers) {
    let PackageTable { packages } = toml::from_str(KNOWN).unwrap_or(PackageTable { packages: Vec::new() });
    for server in &mut found.servers {
        let Some(package) = packages.iter().find(|package| runs(server, package)) else { continue };
        server.mgp.get_or_insert_default().instances = InstanceScope::Session;
        found.remarks.push(format!(
            "{} has a process for each session of a host, because it keeps {}; for one process of all hosts, remove instances from its table mgp",
            server.id, package.keeps
        ));
    }
}

/// Returns whether a server's command names a package.
fn runs(server: &ServerConfig, package: &Package) -> bool {
    let Some(program) = server.command.as_ref().map(Text::written) else { return false };
    let program = Path::new(program).file_stem().and_then(|stem| stem.to_str()).unwrap_or(program);
    let mut parts = server.args.iter().map(Text::written).chain([program]);
    parts.any(|part| package.names.iter().any(|name| is_version_of(part, name)))
}

/// Returns whether a text is a package's name, with or without a version or tag.
fn is_version_of(text: &str, name: &str) -> bool {
    text.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['@', ':', '=', '[']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(line: &[&str]) -> (InstanceScope, usize) {
        let mut server = ServerConfig::new("test");
        server.command = Some(line[0].into());
        server.args = line[1..].iter().map(|arg| (*arg).into()).collect();
        let mut found = Servers { servers: vec![server], ..Servers::default() };
        separate(&mut found);
        (found.servers[0].settings().instances, found.remarks.len())
    }

    #[test]
    fn stateful_packages_get_a_process_for_each_session() {
        for line in [
            &["npx", "-y", "@playwright/mcp@latest", "--headless"][..],
            &["npx", "chrome-devtools-mcp@0.9.0"],
            &["docker", "run", "-i", "--rm", "mcp/puppeteer:1.0"],
            &["uvx", "browser-use[cli]==0.7.1", "--mcp"],
            &["/opt/tools/serena.exe", "start-mcp-server"],
            &["uvx", "--from", "git+https://github.com/oraios/serena", "serena", "start-mcp-server"],
        ] {
            assert_eq!(scope(line), (InstanceScope::Session, 1), "{line:?}");
        }
        for line in [&["uvx", "mcp-server-time"][..], &["npx", "@playwright/mcp-docs"], &["serenade"]] {
            assert_eq!(scope(line), (InstanceScope::Shared, 0), "{line:?}");
        }
    }

    #[test]
    fn every_package_is_named_once_and_has_a_source() {
        let known: toml::Table = toml::from_str(KNOWN).unwrap();
        let mut names = Vec::new();
        for package in known["packages"].as_array().unwrap() {
            assert!(package["source"].as_str().unwrap().starts_with("https://github.com/"), "{package}");
            assert!(!package["keeps"].as_str().unwrap().is_empty(), "{package}");
            names.extend(package["names"].as_array().unwrap().iter().map(ToString::to_string));
        }
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
