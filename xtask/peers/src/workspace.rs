//! The paths of the peers.

use std::path::PathBuf;
pub(crate) use xtask_install::workspace::{root, target};

/// Returns the folder for installed and written files.
pub(crate) fn peers() -> PathBuf {
    target().join("peers")
}

/// Returns the folder of the rows. It is in the checkout, because a confined git distrusts a repository in the home folder, where the target
/// folder may be.
pub(crate) fn runs() -> PathBuf {
    root().join("target/peers/run")
}

/// Returns the folder of the scripts for Python.
pub(crate) fn scripts() -> PathBuf {
    root().join("xtask/peers/python")
}

/// Returns the folder of the odd servers.
pub(crate) fn odd() -> PathBuf {
    root().join("xtask/peers/odd")
}

/// Returns the script for Node.
pub(crate) fn node_script() -> PathBuf {
    root().join("xtask/peers/node/host.mjs")
}

/// Returns the path of a file or folder of the extension proposals, which are next to the workspace.
pub(crate) fn proposals(path: &str) -> PathBuf {
    root().join("../shared/proposals").join(path)
}
