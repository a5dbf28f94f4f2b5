//! Processes that outlive the server. These attempts come last: their outcome is known after the server has ended.

use super::{
    attempt::{Attempt, attempt},
    calls::call,
};
use crate::ground::Ground;
use std::{
    env, fs, io,
    os::unix::process::CommandExt,
    process::{Command, ExitCode, Stdio},
    thread,
    time::{Duration, Instant},
};

pub(super) const ATTEMPTS: &[Attempt] =
    &[attempt(SLEEPER, |ground| leave(ground, SLEEPER)), attempt(RUNNER, |ground| leave(ground, RUNNER))];

/// A process in a separate session.
const SLEEPER: &str = "leave a process behind";

/// A process in a separate session that is constantly replaced by a new one.
const RUNNER: &str = "leave a process behind that changes its id";

/// The names of the attempts, and of the files that the processes make if they outlive the server.
pub(crate) const REMAINS: [&str; 2] = [SLEEPER, RUNNER];

/// The file that the check makes after the server has ended.
pub(crate) const ENDED: &str = "ended";

/// The longest life of a process left behind.
const LIFE: Duration = Duration::from_secs(60);

fn leave(ground: &Ground, name: &str) -> io::Result<()> {
    let mut command = Command::new(env::current_exe()?);
    // A gateway ends the processes with this variable, even without confinement.
    command.env_remove("MGP_SERVER_RUN");
    command.args(["remain", name, &ground.to_text()]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0).spawn()?;
    let is_ready = || ground.own(&ready(name)).exists();
    let start = Instant::now();
    while !is_ready() && start.elapsed() < LIFE {
        thread::sleep(Duration::from_millis(2));
    }
    if is_ready() { Ok(()) } else { Err(io::Error::other("it did not start")) }
}

fn ready(name: &str) -> String {
    format!("{name} is ready")
}

/// Waits for the end of the server, and makes a file after it.
pub(crate) fn remain(name: &str, text: &str) -> ExitCode {
    let Some(ground) = Ground::of_text(text) else { return ExitCode::FAILURE };
    let start = Instant::now();
    let _ = call(libc::SYS_setsid, &[]);
    let _ = fs::write(ground.own(&ready(name)), "");
    while !ground.own(ENDED).exists() && start.elapsed() < LIFE {
        if name == SLEEPER {
            thread::sleep(Duration::from_millis(5));
        } else if call(libc::SYS_clone, &[libc::SIGCHLD.into()]).is_ok_and(|child| child != 0) {
            return ExitCode::SUCCESS;
        }
    }
    match fs::write(ground.own(name), "") {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
