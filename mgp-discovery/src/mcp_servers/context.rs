//! The context in which a host reads its file.

use super::Host;
use std::{collections::BTreeSet, path::PathBuf};

/// The context in which a host reads its file. It determines variables, units and the folders of servers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostContext {
    /// The host; `None` if it is not known.
    pub host: Option<Host>,
    /// The folder of the project, which `${workspaceFolder}` stands for. Without it, servers that need the folder are skipped.
    pub folder: Option<PathBuf>,
    /// True if the file belongs to the project, so that its servers run in the folder.
    pub project: bool,
    /// The names of the servers that the host has disabled in another file, as [`disabled_in_project`](super::disabled_in_project) returns
    /// them.
    pub disabled: BTreeSet<String>,
}

impl HostContext {
    /// Returns whether the host reads `$NAME` as a variable.
    pub(super) fn reads_bare_variables(&self) -> bool {
        self.host == Some(Host::GeminiCli)
    }
}
