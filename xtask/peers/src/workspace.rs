//! Where the peers are.

use std::path::PathBuf;
pub(crate) use xtask_install::workspace::{root, target};

/// Everything that is installed and written here.
pub(crate) fn peers() -> PathBuf {
    target().join("peers")
}

/// The folders of the rows.
pub(crate) fn runs() -> PathBuf {
    peers().join("run")
}

/// The folder of the scripts for Python.
pub(crate) fn scripts() -> PathBuf {
    root().join("xtask/peers/python")
}

/// The script for Node.
pub(crate) fn node_script() -> PathBuf {
    root().join("xtask/peers/node/host.mjs")
}
