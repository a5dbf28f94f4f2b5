//! `[servers.confinement]`: what the process of a server may do.

use super::text::Text;
use mgp_types::context::{ConfinementMode, ConfinementPreset, ConfinementRunner, HostRule};
use serde::{Deserialize, Serialize};

/// The `[servers.confinement]` table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct ServerConfinement {
    /// The mode in which the operating system confines the server. Default: `require` if its `trust_level` is `sandboxed`, else `off`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<ConfinementMode>,
    /// The [runner](https://github.com/mgp-rs/mgp/blob/main/docs/confinement.md#runners) that confines it. Default: `auto`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runner: Option<ConfinementRunner>,
    /// The image of the [container](https://github.com/mgp-rs/mgp/blob/main/docs/confinement.md#containers) in which the command runs, with `runner
    /// = "container"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// A kind of program that needs more than others. `packages`: a runner of packages, such as [npx or
    /// uvx](https://github.com/mgp-rs/mgp/blob/main/docs/confinement.md#npx-and-uvx).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<ConfinementPreset>,
    /// Absolute paths of files and folders that it may read.
    pub read: Vec<Text>,
    /// Absolute paths of files and folders that it may read and write.
    pub write: Vec<Text>,
    /// Absolute paths of programs, and of folders of programs, that it may start.
    pub execute: Vec<Text>,
    /// `true`: it may use the network of this machine, with all hosts. `false`: it may not use the network. Default: by `hosts`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<bool>,
    /// The [hosts](https://github.com/mgp-rs/mgp/blob/main/docs/confinement.md#hosts) that it may reach, through the gateway's proxy. Default: all
    /// public ones with the permission `network.outbound`, else none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>"))]
    pub hosts: Option<Vec<HostRule>>,
    /// The TCP ports on which it may listen. Default: by the permission `network.listen`. A server with `hosts` cannot listen on any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(inner(range(min = 1))))]
    pub ports: Option<Vec<u16>>,
    /// The most memory that each of its processes may write to, in MiB. Default: 2048 if it is confined, else [without
    /// limit](https://github.com/mgp-rs/mgp/blob/main/docs/confinement.md#limits-of-resources).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 16, max = 1_073_741_824)))]
    pub memory_mb: Option<u64>,
    /// The most processes and threads, which are only limited if it is confined. Default: 256.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1_073_741_824)))]
    pub processes: Option<u64>,
    /// The most files that each process may have open. Default: 1024 if it is confined, else without limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 16, max = 1_073_741_824)))]
    pub open_files: Option<u64>,
    /// The largest file that it may write, in MiB. Default: 1024 if it is confined, else without limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1_073_741_824)))]
    pub file_mb: Option<u64>,
    /// The most CPU time of each process, in seconds. Default: without limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1_073_741_824)))]
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
