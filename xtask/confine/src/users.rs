//! Runs the check as each user that this process can become.

use std::{
    env, fs, io,
    os::unix::{
        fs::{MetadataExt, PermissionsExt},
        process::CommandExt,
    },
    path::Path,
    process::{Command, ExitCode},
};

/// The user other than root.
const NOBODY: u32 = 65534;

/// The program through which the check also runs, as a user other than root.
const BUBBLEWRAP: &str = "/usr/bin/bwrap";

/// Runs the check as the user of this process. If that is root, also runs it as another user, except in a container.
pub(crate) fn check_as_each(options: &[&str]) -> ExitCode {
    match try_each(options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: failed to run the check: {error}");
            ExitCode::FAILURE
        }
    }
}

fn try_each(options: &[&str]) -> io::Result<bool> {
    // A copy that every user can reach, wherever the program was built.
    let folder = tempfile::tempdir()?;
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))?;
    let program = folder.path().join("xtask-confine");
    fs::copy(env::current_exe()?, &program)?;
    let is_root = folder.path().metadata()?.uid() == 0;
    // The container engine of this machine serves only its own user.
    let other = (is_root && !options.contains(&"container")).then_some(NOBODY);
    let mut runs = vec![(other, options.to_vec())];
    runs.extend(other.map(|_| (None, options.to_vec())));
    let mut skipped = 0;
    if options.is_empty() {
        match Path::new(BUBBLEWRAP).exists() {
            true => runs.push((other, vec!["--runner", "bubblewrap"])),
            false => {
                skipped = 1;
                println!(
                    "bubblewrap is not tried, because {BUBBLEWRAP} does not exist: sudo apt-get install bubblewrap"
                );
            }
        }
    }
    let mut passed = 0;
    for (user, options) in &runs {
        let mut command = Command::new(&program);
        command.arg("as-this-user").args(options).current_dir("/");
        if let Some(user) = user {
            command.uid(*user).gid(*user);
        }
        passed += usize::from(command.status()?.success());
    }
    println!("\n{passed} passed, {} failed, {skipped} skipped", runs.len() - passed);
    let is_complete = skipped == 0 || env::var("CI").is_err();
    Ok(passed == runs.len() && is_complete)
}
