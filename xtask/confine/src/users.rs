//! Runs the check as each user that this process can become.

use std::{
    env, fs, io,
    os::unix::{
        fs::{MetadataExt, PermissionsExt},
        process::CommandExt,
    },
    process::{Command, ExitCode},
};

/// The user other than root.
const NOBODY: u32 = 65534;

/// Runs the check as the user of this process. If that is root, also runs it as another user.
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
    let mut passed = 0;
    let users: &[Option<u32>] = if is_root { &[None, Some(NOBODY)] } else { &[None] };
    for user in users {
        let mut command = Command::new(&program);
        command.arg("as-this-user").args(options).current_dir("/");
        if let Some(user) = user {
            command.uid(*user).gid(*user);
        }
        passed += usize::from(command.status()?.success());
    }
    println!("\n{passed} passed, {} failed, 0 skipped", users.len() - passed);
    Ok(passed == users.len())
}
