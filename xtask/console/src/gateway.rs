//! A gateway with servers, in a folder of its own.

use std::{
    fs, io,
    net::{Ipv4Addr, TcpListener},
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};
use tokio::process::{Child, Command};
use xtask_install::program_path;

/// The time limit of the start.
const START: Duration = Duration::from_secs(60);
/// The variables of an account's folders. The tests connect programs and mend faults, so each names the folder of the gateway instead.
pub(crate) const HOME: [&str; 3] = ["HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"];

/// A gateway that runs. Its process ends with this value, and its folder is removed.
#[derive(Debug)]
pub(crate) struct Gateway {
    folder: tempfile::TempDir,
    pub(crate) config: PathBuf,
    pub(crate) state: PathBuf,
    _process: Child,
}

impl Gateway {
    /// Starts `mgp serve` with a server that keeps notes and one whose texts are hostile, and waits until it listens.
    ///
    /// # Errors
    /// If the folder cannot be written, or the gateway does not start.
    pub(crate) async fn start() -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| format!("failed to create a folder: {error}"))?;
        let (config, state) = (folder.path().join("mgp.toml"), folder.path().join("state"));
        let text =
            configuration(folder.path()).map_err(|error| format!("failed to find this program: {error}"))?;
        fs::write(&config, text).map_err(|error| format!("failed to write {}: {error}", config.display()))?;
        let port = free_port().map_err(|error| format!("no port is free: {error}"))?;
        let mut process = Command::new(program_path("mgp"))
            .args(["serve", "--trust", "--config"])
            .arg(&config)
            .arg("--state-dir")
            .arg(&state)
            .args(["--http", &format!("127.0.0.1:{port}")])
            .envs(HOME.map(|name| (name, folder.path())))
            .env("MGP_KEYRING", "off")
            .env_remove("MGP_STORE_URL")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::inherit())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("failed to start mgp: {error}"))?;
        let listens = async {
            while tokio::net::TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.is_err() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::select! {
            listening = tokio::time::timeout(START, listens) => listening.map_err(|_| format!("mgp did not listen within {START:?}"))?,
            ended = process.wait() => return Err(format!("mgp ended: {ended:?}")),
        }
        Ok(Self { folder, config, state, _process: process })
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }
}

fn configuration(folder: &Path) -> io::Result<String> {
    let (mgp, own) = (program_path("mgp"), std::env::current_exe()?);
    let notes = folder.join("notes.sqlite3");
    Ok(format!(
        r#"# The servers of the tests.
[kernel]
agent = "local"

[[servers]]
id = "notes"
command = {mgp:?}
args = ["embedded-server", "notes", "--db", {notes:?}]
default_policy = "opt-out"

[[servers]]
id = "hostile"
command = {own:?}
args = ["--hostile-server"]
default_policy = "opt-out"
"#
    ))
}

fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}
