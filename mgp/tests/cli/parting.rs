//! Ends that nobody asked for: a host that never reads, and a kernel that is killed.

use crate::support::{User, text};
use std::{
    io::{Read, Write},
    process::{Command, Stdio},
};
use xtask_testing::block_until_some;

#[test]
fn a_host_that_never_reads_ends_the_program_with_a_message() {
    let user = User::new();
    let mut command = user.command(&["serve"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (mut stdin, _stdout) = (child.stdin.take().unwrap(), child.stdout.take());
    // Each line is answered, and the answers are longer: more than may wait.
    let lines = "{}\n".repeat(1000);
    block_until_some(|| {
        let gone = stdin.write_all(lines.as_bytes()).is_err();
        gone.then_some(())
    });
    let status = block_until_some(|| child.try_wait().unwrap());
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(status.code(), Some(1), "{said}");
    assert!(
        said.contains("error: the host does not read") && said.contains("bytes of refusals unread"),
        "{said}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_stubborn_server_dies_with_a_killed_kernel() {
    // With the second variable, `setpriv` does not start the server.
    for variable in ["A", "LD_LIBRARY_PATH"] {
        a_stubborn_server_dies(variable);
    }
}

#[cfg(target_os = "linux")]
fn a_stubborn_server_dies(variable: &str) {
    let user = User::new();
    let script = "trap '' TERM INT HUP; echo $$ > pid; while :; do sleep 0.1; done";
    let server = toml_string(&format!("cd '{}'; {script}", user.path("").display()));
    user.write(
        "mgp.toml",
        &format!("[[servers]]\nid = \"stubborn\"\ncommand = \"sh\"\nargs = [\"-c\", {server}]\nenv = {{ {variable} = \"/nowhere\" }}\n"),
    );
    let mut kernel = user
        .command(&["--trust", "serve"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let pid = user.path("pid");
    let pid = block_until_some(|| {
        let pid = if pid.exists() { text(&pid) } else { String::new() };
        pid.trim().parse::<u32>().ok()
    });
    kernel.kill().unwrap();
    kernel.wait().unwrap();
    block_until_some(|| ended(pid).then_some(()));
}

/// Returns whether a process is gone. One that nobody has waited for yet is gone too.
#[cfg(target_os = "linux")]
fn ended(pid: u32) -> bool {
    let ps = Command::new("ps").args(["-o", "stat=", "-p", &pid.to_string()]).output().unwrap();
    let state = String::from_utf8_lossy(&ps.stdout).trim().to_owned();
    state.is_empty() || state.starts_with('Z')
}

#[cfg(target_os = "linux")]
fn toml_string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
