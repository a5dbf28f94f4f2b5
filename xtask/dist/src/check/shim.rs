//! The script of npm's main package: its exit code, its signals, and its error without the package of the platform.

use super::{installation::Installation, user::User};
use crate::{process, release::Release};
use std::{fs, process::Stdio, time::Duration};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::Command,
};

/// The time limit for the start and for the end of the gateway.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Checks the script that npm has put into the path.
pub(super) async fn check(release: &Release, user: &User, installed: &Installation) -> Result<(), String> {
    let program = &installed.program;
    let ended = process::ended(user.command(&[program, "no-such-command"])).await?;
    if ended.code != Some(2) {
        return Err(format!("the script ends with {:?}, expected the program's exit code 2", ended.code));
    }
    signal(user, program).await?;
    let module = user.home(".local/lib/node_modules").join(&release.name);
    let scope = module.join("node_modules").join(format!("@{}", release.name));
    fs::remove_dir_all(user.seen(&scope))
        .map_err(|error| format!("failed to remove {}: {error}", scope.display()))?;
    let ended = process::ended(user.command(&[program, "--version"])).await?;
    let expected = format!("the package @{}/{} is missing", release.name, release.platform.npm());
    if ended.code == Some(1) && ended.stderr.contains(&expected) {
        return Ok(());
    }
    Err(format!(
        "without its platform's package, the script prints {:?}, expected {expected:?}",
        ended.stderr
    ))
}

/// Sends SIGTERM to the script. The gateway must end as if it had got the signal itself.
async fn signal(user: &User, program: &str) -> Result<(), String> {
    let mut serving = user.command(&[program, "--demo", "serve", "--http", "127.0.0.1:0"]);
    serving.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut serving = serving.spawn().map_err(|error| format!("failed to run the script: {error}"))?;
    let mut lines = BufReader::new(serving.stderr.take().ok_or("the script has no stderr")?).lines();
    let started = async {
        while let Some(line) = lines.next_line().await.map_err(|error| error.to_string())? {
            if line.contains("serving MCP at ") {
                return Ok(());
            }
        }
        Err("the gateway of the script did not start".to_owned())
    };
    tokio::time::timeout(TIMEOUT, started).await.map_err(|_| "the gateway of the script starts late")??;
    let mut kill = Command::new("kill");
    kill.args(["-TERM", &serving.id().unwrap_or_default().to_string()]);
    process::output(kill).await?;
    let ended = tokio::time::timeout(TIMEOUT, serving.wait()).await;
    let status =
        ended.map_err(|_| "the script does not end at SIGTERM")?.map_err(|error| error.to_string())?;
    if status.code() == Some(0) { Ok(()) } else { Err(format!("at SIGTERM, the script ends with {status}")) }
}
