//! The paths of the workspace and its target folder.

use std::path::{Path, PathBuf};

/// Returns the folder of the workspace's own `Cargo.toml`.
#[must_use]
pub fn root() -> PathBuf {
    // Cargo sets the variable when it runs a program, so a moved checkout is found too.
    let here = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    let root = here.ancestors().find(|folder| folder.join("Cargo.lock").is_file()).map(Path::to_path_buf);
    root.unwrap_or(here)
}

/// Returns cargo's folder for build output.
#[must_use]
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
