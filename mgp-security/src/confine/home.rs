//! The home folders of the user.

use std::path::PathBuf;

/// Returns the home folders of this process's user: that of its environment, and that of the system's list of users. Both may contain
/// secrets.
#[must_use]
pub fn home_folders() -> Vec<PathBuf> {
    let mut homes: Vec<_> = [std::env::home_dir(), listed()].into_iter().flatten().collect();
    homes.retain(|home| home.is_absolute());
    homes.dedup();
    homes
}

#[cfg(not(target_os = "linux"))]
const fn listed() -> Option<PathBuf> {
    None
}

#[cfg(target_os = "linux")]
fn listed() -> Option<PathBuf> {
    static HOME: std::sync::LazyLock<Option<PathBuf>> = std::sync::LazyLock::new(super::linux::listed_home);
    HOME.clone()
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::home_folders;
    use crate::confine::linux::listed_home;
    use std::process::Command;

    #[test]
    fn home_folders_come_from_the_environment_and_the_user_list() {
        let homes = home_folders();
        for home in [std::env::home_dir(), listed_home()].into_iter().flatten() {
            assert_eq!(homes.contains(&home), home.is_absolute(), "{home:?} in {homes:?}");
        }
    }

    #[test]
    fn home_folders_are_found_under_another_home_too() {
        for home in ["/nowhere", "nowhere"] {
            let mut tests = Command::new(std::env::current_exe().unwrap());
            let name = "confine::home::tests::home_folders_come_from_the_environment_and_the_user_list";
            let ended = tests.args(["--exact", name]).env("HOME", home).output().unwrap();
            let printed = String::from_utf8_lossy(&ended.stdout);
            assert!(ended.status.success() && printed.contains("1 passed"), "{printed}");
        }
    }
}
