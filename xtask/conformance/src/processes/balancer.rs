//! HAProxy, which sends each request to the next replica.

use std::{
    fs::{self, File},
    net::TcpListener,
    path::Path,
    process::Stdio,
};
use tokio::process::{Child, Command};

/// The program, which is not in the `PATH` of every account.
const PROGRAMS: [&str; 2] = ["haproxy", "/usr/sbin/haproxy"];

/// A running balancer. It ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Balancer {
    /// The URL of the replicas' endpoint through the balancer.
    pub(crate) url: String,
    _child: Child,
}

impl Balancer {
    /// Returns a reason why no balancer can run here.
    pub(crate) async fn obstacle() -> Option<String> {
        program().await.err()
    }

    /// Starts a balancer in front of the replicas with these URLs.
    pub(crate) async fn start(folder: &Path, replicas: &[String]) -> Result<Self, String> {
        let path = folder.join("haproxy.cfg");
        fs::write(&path, config(replicas))
            .map_err(|error| format!("failed to write {}: {error}", path.display()))?;
        let failed = |error: std::io::Error| format!("failed to start the balancer: {error}");
        // HAProxy gets the socket as its stdin, so that no other program can take the port before it does.
        let listener = TcpListener::bind("127.0.0.1:0").map_err(failed)?;
        let url = format!("http://{}/mcp", listener.local_addr().map_err(failed)?);
        let log = File::create(folder.join("haproxy.log")).map_err(failed)?;
        let mut command = Command::new(program().await?);
        command.arg("-db").arg("-f").arg(&path).kill_on_drop(true);
        command.stdin(as_stdin(listener)?).stdout(log.try_clone().map_err(failed)?).stderr(log);
        let child = command.spawn().map_err(failed)?;
        Ok(Self { url, _child: child })
    }
}

async fn program() -> Result<&'static str, String> {
    for program in PROGRAMS {
        if Command::new(program).arg("-v").stdin(Stdio::null()).output().await.is_ok() {
            return Ok(program);
        }
    }
    Err("haproxy does not run: Debian has it in the package `haproxy`".to_owned())
}

#[cfg(unix)]
fn as_stdin(listener: TcpListener) -> Result<Stdio, String> {
    Ok(std::os::fd::OwnedFd::from(listener).into())
}

#[cfg(not(unix))]
fn as_stdin(_: TcpListener) -> Result<Stdio, String> {
    Err("the balancer needs a system of Unix's kind".to_owned())
}

fn config(replicas: &[String]) -> String {
    let mut text = "\
global
    maxconn 1000

defaults
    mode http
    timeout connect 10s
    timeout client 1h
    timeout server 1h

frontend hosts
    bind fd@0
    default_backend replicas

backend replicas
    balance roundrobin
"
    .to_owned();
    for (at, url) in replicas.iter().enumerate() {
        let address = url.trim_start_matches("http://").trim_end_matches("/mcp");
        text += &format!("    server replica{at} {address}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::config;

    #[test]
    fn requests_go_to_each_replica_in_turn() {
        let config = config(&["http://127.0.0.1:1/mcp".to_owned(), "http://127.0.0.1:2/mcp".to_owned()]);
        let end =
            "    balance roundrobin\n    server replica0 127.0.0.1:1\n    server replica1 127.0.0.1:2\n";
        assert!(config.ends_with(end), "{config}");
    }
}
