//! The namespaces of the whole run, in which this program starts itself again. Everything in them ends with it.

use crate::replicas::machines;
use std::{
    env,
    os::unix::fs::MetadataExt,
    process::{Command, ExitStatus, Stdio},
};

/// The variable that marks the process inside the namespaces.
const MARK: &str = "MGP_SOAK_INSIDE";

/// The place of this process.
#[derive(Debug)]
pub(crate) enum Entry {
    /// This process is inside the namespaces.
    Inside,
    /// Another process ran inside the namespaces, and has ended.
    Ended(ExitStatus),
    /// This machine lacks something.
    Lacking(String),
}

/// Runs this program again inside new namespaces, with the same arguments, unless this process is inside already.
pub(crate) fn enter() -> Result<Entry, String> {
    if env::var_os(MARK).is_some() {
        return Ok(Entry::Inside);
    }
    if let Some(lacking) = machines::lacking() {
        return Ok(Entry::Lacking(lacking));
    }
    let probe =
        namespaces().args(["ip", "link", "add", "soak", "type", "bridge"]).stderr(Stdio::piped()).output();
    match probe {
        Ok(output) if output.status.success() => {}
        Ok(output) => {
            let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Ok(Entry::Lacking(format!("network namespaces, with or without root: {why}")));
        }
        Err(error) => return Ok(Entry::Lacking(format!("the program `unshare`: {error}"))),
    }
    let program = env::current_exe().map_err(|error| format!("failed to find this program: {error}"))?;
    let mut command = namespaces();
    command.arg(program).args(env::args_os().skip(1)).env(MARK, "1");
    let status = command.status().map_err(|error| format!("failed to run {command:?}: {error}"))?;
    Ok(Entry::Ended(status))
}

/// Returns the command that runs another one in new namespaces. Without root, the other one is root in a new user namespace.
fn namespaces() -> Command {
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|found| found.uid() == 0);
    let mut command = Command::new("unshare");
    if !is_root {
        command.args(["--user", "--map-root-user"]);
    }
    command.args(["--net", "--pid", "--fork", "--kill-child", "--mount-proc", "--"]);
    command
}
