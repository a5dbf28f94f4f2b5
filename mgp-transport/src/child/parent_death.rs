//! The signal that ends a child when the process that started it is gone, even by SIGKILL.
//!
//! Only the child can ask for the signal. It does so between fork and exec, or in the program `setpriv`, which then becomes the child's
//! program. A fork copies the page tables of this process, and all its threads wait for that. With `setpriv`, std starts the child by
//! `posix_spawn`, which copies nothing.

use rustix::{
    fs::{Access, access},
    process::{Signal, getpid, getppid, set_parent_process_death_signal},
};
use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
    process::Stdio,
    sync::LazyLock,
};
use tokio::process::Command;

/// The program of util-linux, and its arguments before the child's program, which it looks up as std does.
pub(super) const SETPRIV: [&str; 4] = ["/usr/bin/setpriv", "--pdeathsig", "KILL", "--"];

/// Variables with which the libraries of `setpriv` may be replaced.
pub(super) const LOADER_VARIABLES: [&str; 3] = ["LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT"];

/// Returns whether `setpriv` can start a program, which is the first executable one of these files. False if the start would fail,
/// because an error of `setpriv` looks like one of the program.
pub(super) fn is_for_setpriv(mut files: impl Iterator<Item = PathBuf>) -> bool {
    // Old versions do not know the option, and that of busybox does not either.
    static IS_USABLE: LazyLock<bool> = LazyLock::new(|| {
        let mut version = std::process::Command::new(SETPRIV[0]);
        version.args(&SETPRIV[1..3]).arg("--version");
        version.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        version.status().is_ok_and(|status| status.success())
    });
    let program = files.find(|file| is_executable(file));
    program.is_some_and(|program| has_known_format(&program)) && *IS_USABLE
}

fn is_executable(file: &Path) -> bool {
    file.is_file() && access(file, Access::EXEC_OK).is_ok()
}

/// Returns whether a file is a binary, or a script whose interpreter is one.
fn has_known_format(file: &Path) -> bool {
    let Ok(start) = start_of(file) else { return false };
    let Some(line) = start.strip_prefix(b"#!") else { return is_binary(&start) };
    let line = String::from_utf8_lossy(line);
    let interpreter = Path::new(line.split_ascii_whitespace().next().unwrap_or_default());
    interpreter.is_absolute()
        && is_executable(interpreter)
        && start_of(interpreter).is_ok_and(|start| is_binary(&start))
}

fn is_binary(start: &[u8]) -> bool {
    start.starts_with(b"\x7fELF")
}

/// Reads the first bytes of a file, as many as the system reads for the first line of a script.
fn start_of(file: &Path) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    File::open(file)?.take(256).read_to_end(&mut start)?;
    Ok(start)
}

/// Asks the kernel of the operating system to kill the process when this one ends. The signal is sent only to that process, not
/// to those that it starts in turn.
///
/// The signal is also sent when the thread that starts the process ends: see [`start_on_thread`](super::spawn_thread::start_on_thread).
#[expect(
    unsafe_code,
    reason = "only code between fork and exec can ask for the signal, and no safe function of std runs any"
)]
pub(super) fn end_with_parent(command: &mut Command) {
    let parent = getpid();
    let ask = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // A parent that had ended before the line above no longer sends the signal.
        if getppid() == Some(parent) { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
    };
    // SAFETY: between fork and exec only what is async-signal-safe may be called. The closure makes two system calls, and neither
    // allocates nor takes a lock: its errors hold a number each.
    unsafe { command.pre_exec(ask) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, os::unix::fs::PermissionsExt};

    #[test]
    fn setpriv_starts_only_programs_whose_start_succeeds() {
        let folder = std::env::temp_dir().join(format!("mgp-setpriv-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = |name: &str, text: &str, mode: u32| {
            let file = folder.join(name);
            fs::write(&file, text).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        };
        file("own-script", "#! /bin/sh -e\n", 0o700);
        file("closed", "#!/bin/sh\n", 0o600);
        file("no-interpreter", "#!/nothing/here\n", 0o700);
        file("nested", &format!("#!{}\n", folder.join("own-script").display()), 0o700);
        file("no-format", "echo\n", 0o700);
        file("empty", "", 0o700);
        for (names, expected) in [
            (&["/bin/sh"][..], true),
            (&["own-script"], true),
            (&["missing", "closed", "own-script", "no-format"], true),
            (&["no-format", "own-script"], false),
            (&[], false),
            (&["missing"], false),
            (&["closed"], false),
            (&["no-interpreter"], false),
            (&["nested"], false),
            (&["empty"], false),
            (&["/bin"], false),
        ] {
            let files = names.iter().map(|name| folder.join(name));
            assert_eq!(is_for_setpriv(files), expected && Path::new(SETPRIV[0]).exists(), "{names:?}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
