//! The profile of a server: everything that its process may do, with the reason for each part.

use super::{ConfinementMode, ConfinementRunner, Limits};
use mgp_types::{context::HostRule, permission::StandardPermission};
use std::{collections::BTreeSet, fmt, path::PathBuf};

/// Everything that the process of a server, and the processes that it starts, may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// The mode.
    pub mode: ConfinementMode,
    /// The reason for the mode.
    pub mode_reason: Reason,
    /// The files that it may use. Paths that do not exist are left out when the server starts. The server is not started if a configured
    /// path passes through a link in a folder that the server may write.
    pub paths: Vec<PathRule>,
    /// The files that it may not use, whatever rule covers them. Exempt are the private folder, secrets that the configuration names, and
    /// the parts of the [machine](Reason::Machine) that a rule names.
    pub denied: Vec<(PathBuf, Reason)>,
    /// The paths by which its program, its interpreters and its script are named. If one of them passes through a link in a folder that the
    /// server may write, the server is not started: it could have made the link.
    pub program: BTreeSet<PathBuf>,
    /// The server's private folder, which is its home and contains its temporary files; `None` if it has none.
    pub private_folder: Option<PathBuf>,
    /// The use of the network.
    pub network: Network,
    /// True if programs from memory and from the private folder may be started.
    pub runs_own_programs: bool,
    /// The limits of resources.
    pub limits: Limits,
    /// The runner that confines it.
    pub runner: ConfinementRunner,
    /// The image of the container in which its command runs; `None` if its command names the image, or it runs in no container.
    pub image: Option<String>,
}

/// A rule that lets a server use a file, or a folder and everything beneath it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathRule {
    /// The file or folder.
    pub path: PathBuf,
    /// The permitted use.
    pub access: PathAccess,
    /// The reason for the rule.
    pub reason: Reason,
}

/// The permitted use of a file, which may always be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PathAccess {
    /// True if it may be written, made and removed.
    pub write: bool,
    /// True if it may be started as a program.
    pub execute: bool,
}

/// The use of the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Network {
    /// The hosts that it may reach.
    pub reach: Reach,
    /// The reason for `reach`.
    pub reach_reason: Reason,
    /// The ports on which it may listen.
    pub listen: ListenPorts,
    /// The reason for `listen`.
    pub listen_reason: Reason,
}

impl Network {
    /// Returns whether the process has its own network instead of this machine's.
    #[must_use]
    pub fn is_isolated(&self) -> bool {
        self.reach != Reach::Machine && self.listen == ListenPorts::None
    }
}

/// The port of the proxy on the loopback address of a server's own network.
pub const EGRESS_PORT: u16 = 3128;

/// The hosts that a server may reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// No hosts. The process has its own network, which leads nowhere.
    None,
    /// Only these hosts, by TCP through the kernel's proxy. The process's own network leads only to the proxy.
    Hosts(Vec<HostRule>),
    /// Any host and port that this machine reaches, including its own.
    Machine,
}

/// The ports on which a server may listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListenPorts {
    /// None.
    None,
    /// These TCP ports.
    Only(Vec<u16>),
    /// Any.
    Any,
}

/// The reason for a part of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The server is sandboxed.
    Sandboxed,
    /// The server is not sandboxed, and its configuration does not set a mode.
    NotAsked,
    /// The program itself, and its libraries.
    Program,
    /// Libraries, devices and settings that programs of this system need.
    System,
    /// The server's own folder.
    PrivateFolder,
    /// An approved permission.
    Permission(StandardPermission),
    /// A permission that is not approved.
    NoPermission(StandardPermission),
    /// A key of the server's `[servers.confinement]`.
    Configuration(&'static str),
    /// The server's configured command loads a package from a registry and starts it.
    PackageRunner,
    /// A server that reaches hosts through the kernel's proxy has no network on which to listen.
    Proxied,
    /// The kernel's own state, or its configuration.
    KernelState,
    /// A folder in which programs keep a user's secrets.
    Secrets,
    /// A part of the machine that a rule for all files does not cover.
    Machine,
}

impl PathAccess {
    /// Returns the words for the permitted use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match (self.write, self.execute) {
            (false, false) => "read",
            (true, false) => "read, write",
            (false, true) => "read, start",
            (true, true) => "read, write, start",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sandboxed => f.write_str("the server is sandboxed"),
            Self::NotAsked => f.write_str("the server is not sandboxed, and confinement.mode is not set"),
            Self::Program => f.write_str("the program and its libraries"),
            Self::System => f.write_str("needed by programs of this system"),
            Self::PrivateFolder => f.write_str("the server's own folder"),
            Self::Permission(permission) => write!(f, "permission {} is approved", permission.as_str()),
            Self::NoPermission(permission) => write!(f, "permission {} is not approved", permission.as_str()),
            Self::Configuration(key) => write!(f, "confinement.{key} in the configuration"),
            Self::PackageRunner => f.write_str("its command loads a package from a registry and starts it"),
            Self::Proxied => f.write_str(
                "it reaches hosts through the gateway's proxy; confinement.network = true gives it this machine's network",
            ),
            Self::KernelState => f.write_str("the gateway's own state or configuration"),
            Self::Secrets => {
                f.write_str("the user's secrets; confinement.read or confinement.write can name them")
            }
            Self::Machine => f.write_str("the machine; a rule for all files leaves it out"),
        }
    }
}
