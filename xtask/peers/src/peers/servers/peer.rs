//! The description of a server of the tables.

use crate::install::Package;
use mgp_client_sdk::Era;

/// The transport of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    Stdio,
    Http,
    /// HTTP+SSE, the transport of 2024-11-05.
    HttpSse,
}

/// The eras that a server supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Eras {
    Initialize,
    /// Both eras. A client that probes finds the later one.
    Both,
}

/// A server and the requests to it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ServerPeer {
    /// The id of the server in the kernel's configuration.
    pub(crate) id: &'static str,
    pub(crate) package: Package,
    pub(crate) transport: Transport,
    pub(crate) eras: Eras,
    /// The file or the program to run, depending on the source of the package.
    pub(super) program: &'static str,
    pub(super) args: &'static [&'static str],
    pub(super) env: &'static [(&'static str, &'static str)],
    /// The permissions that the server needs if it is confined.
    pub(crate) permissions: &'static [&'static str],
    /// The lines of its `[servers.confinement]`, without the mode.
    pub(crate) confinement: &'static str,
    /// The number of tools that the server lists to a client with all capabilities.
    pub(crate) tools: usize,
    /// The numbers of resources and of templates that the server lists.
    pub(crate) resources: (usize, usize),
    pub(crate) prompts: usize,
    /// Empty for a server that can do nothing without a network.
    pub(crate) probes: &'static [Probe],
}

/// One search in the index, and one call.
#[derive(Debug)]
pub(crate) struct Probe {
    /// The task that the tool is needed for.
    pub(crate) sentence: &'static str,
    pub(crate) tool: &'static str,
    pub(crate) arguments: &'static str,
    pub(crate) steady: Stability,
}

/// The time for which an answer stays the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stability {
    Always,
    /// The answer contains the date, so the server is called directly before and after.
    WithinADay,
}

impl Transport {
    /// Returns the path of a server's endpoint.
    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::Stdio | Self::Http => "/mcp",
            Self::HttpSse => "/sse",
        }
    }
}

impl Eras {
    /// Returns the supported eras, starting with the one that a probing client finds.
    pub(crate) const fn found_first(self) -> &'static [Era] {
        match self {
            Self::Initialize => &[Era::Initialize],
            Self::Both => &[Era::Stateless, Era::Initialize],
        }
    }
}

impl ServerPeer {
    /// Returns whether its client starts the server.
    pub(crate) fn is_child(&self) -> bool {
        self.transport == Transport::Stdio
    }

    /// Creates a server over stdio that lists only tools.
    pub(super) const fn stdio(id: &'static str, package: Package, program: &'static str) -> Self {
        Self {
            id,
            package,
            transport: Transport::Stdio,
            eras: Eras::Initialize,
            program,
            args: &[],
            env: &[],
            permissions: &[],
            confinement: "",
            tools: 0,
            resources: (0, 0),
            prompts: 0,
            probes: &[],
        }
    }
}
