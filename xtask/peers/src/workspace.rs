//! Where the workspace and the peers are.

use std::path::{Path, PathBuf};

/// The folder of the workspace's own `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    // Cargo sets the variable when it runs us, so a moved checkout is found too.
    let here = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    let root = here.ancestors().find(|folder| folder.join("Cargo.lock").is_file()).map(Path::to_path_buf);
    root.unwrap_or(here)
}

/// Cargo's folder for what it builds.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Everything that is installed and written here.
pub(crate) fn peers() -> PathBuf {
    target().join("peers")
}

/// The folders of the rows.
pub(crate) fn runs() -> PathBuf {
    peers().join("run")
}

/// A script of the Python side.
pub(crate) fn script(name: &str) -> PathBuf {
    root().join("xtask/peers/python").join(name)
}
