//! HAProxy in front of replicas, with the configuration that the repository ships.

use std::{
    env,
    fmt::Write as _,
    fs::{self, File},
    io,
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::Stdio,
};
use tokio::process::{Child, Command};

/// The shipped configuration.
const SHIPPED: &str = include_str!("../../../deploy/haproxy.cfg");
/// The most connections of hosts. Twice as many must fit into the limit of open files.
const MAX_CONNECTIONS: usize = 4000;
/// The host that the shipped health check names. Replicas must accept it.
pub const BALANCER_HOST: &str = "gateway.example.com";
/// The notice that HAProxy is missing.
pub(crate) const NO_HAPROXY: &str = "haproxy is not installed: Debian has it in the package `haproxy`";
/// The folder of the program, which is not in the `PATH` of every account.
const FOLDER: &str = "/usr/sbin";

/// A running balancer. It ends when it is dropped.
#[derive(Debug)]
pub struct Balancer {
    address: SocketAddr,
    _child: Child,
}

impl Balancer {
    /// Starts a balancer in front of replicas. Its configuration and its log are kept in a folder.
    ///
    /// # Errors
    /// If HAProxy is not installed, or does not start.
    pub fn start(folder: &Path, replicas: &[SocketAddr]) -> Result<Self, String> {
        let failed = |error: io::Error| format!("failed to start the balancer: {error}");
        let program = haproxy().ok_or(NO_HAPROXY)?;
        let file = folder.join("haproxy.cfg");
        // HAProxy gets the socket as its stdin, so that no other program can take the port before it does.
        fs::write(&file, haproxy_configuration("fd@0", replicas)?).map_err(failed)?;
        let listener = TcpListener::bind("127.0.0.1:0").map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let log = File::create(folder.join("haproxy.log")).map_err(failed)?;
        let mut command = Command::new(program);
        command.arg("-db").arg("-f").arg(&file).kill_on_drop(true);
        command.stdin(as_stdin(listener)?).stdout(log.try_clone().map_err(failed)?).stderr(log);
        Ok(Self { address, _child: command.spawn().map_err(failed)? })
    }

    /// Returns the URL of the replicas' endpoint through the balancer.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }
}

/// Returns the path of HAProxy, if it is installed.
pub(crate) fn haproxy() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain([PathBuf::from(FOLDER)]);
    folders.map(|folder| folder.join("haproxy")).find(|file| file.is_file())
}

/// Returns the shipped configuration with another address to listen on, and with fixed addresses of replicas instead of Docker's names.
/// The replicas must accept [`BALANCER_HOST`], which the shipped health check names.
///
/// # Errors
/// If the shipped configuration has no address to listen on, or no servers.
pub fn haproxy_configuration(bind: &str, replicas: &[SocketAddr]) -> Result<String, String> {
    let mut text = String::new();
    let (mut is_resolvers, mut has_address, mut has_servers) = (false, false, false);
    for line in SHIPPED.lines() {
        let is_section = line.starts_with(|first: char| first.is_ascii_lowercase());
        is_resolvers = if is_section { line.starts_with("resolvers ") } else { is_resolvers };
        let setting = line.trim_start();
        if is_resolvers {
            continue;
        }
        if setting.starts_with("maxconn ") {
            let _ = writeln!(text, "    maxconn {MAX_CONNECTIONS}");
        } else if setting.starts_with("bind ") {
            has_address = true;
            let _ = writeln!(text, "    bind {bind}");
        } else if let Some(template) = setting.strip_prefix("server-template ") {
            has_servers = true;
            for (number, address) in replicas.iter().enumerate() {
                let _ = writeln!(text, "    server replica{number} {address}{}", options(template));
            }
        } else {
            let _ = writeln!(text, "{line}");
        }
    }
    if has_address && has_servers {
        return Ok(text);
    }
    Err("deploy/haproxy.cfg has no line `bind` or no line `server-template`".to_owned())
}

/// Returns the options of the servers of a template, without those about names.
fn options(template: &str) -> String {
    let mut words = template.split_whitespace().skip(3);
    let mut options = String::new();
    while let Some(word) = words.next() {
        if matches!(word, "resolvers" | "init-addr") {
            words.next();
        } else {
            options.push(' ');
            options.push_str(word);
        }
    }
    options
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "on other systems it fails")]
fn as_stdin(listener: TcpListener) -> Result<Stdio, String> {
    Ok(std::os::fd::OwnedFd::from(listener).into())
}

#[cfg(not(unix))]
fn as_stdin(_: TcpListener) -> Result<Stdio, String> {
    Err("the balancer needs Unix: it gets its socket as a descriptor".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_configuration_is_used_with_fixed_addresses() {
        let replicas = ["10.0.0.1:7433", "10.0.0.2:7433"].map(|address| address.parse().unwrap());
        let text = haproxy_configuration("fd@0", &replicas).unwrap();
        let servers =
            "server replica0 10.0.0.1:7433 tcp-ut 1s\n    server replica1 10.0.0.2:7433 tcp-ut 1s\n";
        assert!(text.contains(servers), "{text}");
        assert!(text.contains("balance roundrobin") && text.contains("frontend hosts"), "{text}");
        assert!(text.contains("    bind fd@0\n") && !text.contains(":8080"), "{text}");
        assert!(!text.contains("dns") && !text.contains("server-template"), "{text}");
    }
}
