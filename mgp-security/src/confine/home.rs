//! The home folders of the user.

use std::path::PathBuf;

/// Returns the home folders of the user of this process: that of its environment, and that of the system's list of users. Secrets are in
/// either.
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
