//! A registry of npm on this machine, with the packages that were made: files, served by Python.

use crate::{packages::packument, platform::Platform, release::Release};
use std::{fs, path::Path, process::Stdio, time::Duration};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
};

/// The time limit for the start.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A running registry. It ends when it is dropped.
#[derive(Debug)]
pub(super) struct Registry {
    pub(super) url: String,
    _server: Child,
    _folder: TempDir,
}

impl Registry {
    /// Starts a registry with the packages in a folder.
    pub(super) async fn start(release: &Release, packages: &Path) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("failed to make a registry: {error}");
        let folder = tempfile::tempdir().map_err(failed)?;
        let mut server = Command::new("python3");
        server
            .args(["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory"])
            .arg(folder.path());
        server.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        let mut server = server.spawn().map_err(failed)?;
        let mut line = String::new();
        if let Some(output) = server.stdout.take() {
            let reading = async { BufReader::new(output).read_line(&mut line).await };
            tokio::time::timeout(TIMEOUT, reading)
                .await
                .map_err(|_| "python3 -m http.server does not start")?
                .map_err(failed)?;
        }
        let port = line.split_once(" port ").and_then(|(_, rest)| rest.split_whitespace().next());
        let url = format!(
            "http://127.0.0.1:{}",
            port.ok_or_else(|| format!("python3 -m http.server prints {line:?}"))?
        );
        for platform in Platform::ALL.map(Some).into_iter().chain([None]) {
            let (name, document) = packument(release, platform, packages, &url)?;
            let path = folder.path().join(name);
            let made = path.parent().map_or(Ok(()), fs::create_dir_all);
            made.and_then(|()| fs::write(&path, document.to_string())).map_err(failed)?;
        }
        for file in fs::read_dir(packages).map_err(failed)?.flatten() {
            if file.path().extension().is_some_and(|end| end == "tgz") {
                fs::copy(file.path(), folder.path().join(file.file_name())).map_err(failed)?;
            }
        }
        Ok(Self { url, _server: server, _folder: folder })
    }
}
