//! `[servers.confinement]`: what the process of a server may do.

use super::text::Text;
use mgp_types::context::{ConfinementMode, ConfinementPreset, HostRule};
use serde::{Deserialize, Serialize};

/// The `[servers.confinement]` table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerConfinement {
    /// The mode. `None` means `require` for a sandboxed server, and `off` for any other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<ConfinementMode>,
    /// A preset for a kind of program with additional needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<ConfinementPreset>,
    /// Files and folders that the server may read.
    pub read: Vec<Text>,
    /// Files and folders that the server may read and write.
    pub write: Vec<Text>,
    /// Programs, and folders of programs, that the server may start.
    pub execute: Vec<Text>,
    /// True if the server may use the network of this machine, false if it may use none. `None` depends on `hosts`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<bool>,
    /// The hosts that the server may reach. `None` depends on the permission `network.outbound`, which opens every public host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hosts: Option<Vec<HostRule>>,
    /// The ports on which the server may listen. `None` depends on the permission `network.listen`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ports: Option<Vec<u16>>,
    /// The most memory that each process may write to, in MiB. `None` means the default of confined servers, and no limit for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_mb: Option<u64>,
    /// The most processes and threads. `None` means the default of confined servers, and no limit for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<u64>,
    /// The most files that each process may have open. `None` means the default of confined servers, and no limit for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_files: Option<u64>,
    /// The largest file, in MiB. `None` means the default of confined servers, and no limit for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_mb: Option<u64>,
    /// The most CPU time of each process, in seconds. `None` sets no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_secs: Option<u64>,
}

impl ServerConfinement {
    /// Returns the lists of paths, with their keys.
    pub(super) fn paths(&self) -> [(&'static str, &[Text]); 3] {
        [("read", &self.read), ("write", &self.write), ("execute", &self.execute)]
    }

    /// Returns the lists of paths, with their keys, so that their variables are expanded.
    pub(super) fn paths_mut(&mut self) -> [(&'static str, &mut [Text]); 3] {
        [("read", &mut self.read), ("write", &mut self.write), ("execute", &mut self.execute)]
    }
}
