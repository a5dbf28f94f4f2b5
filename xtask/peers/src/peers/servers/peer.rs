//! What a server of the tables is.

use crate::install::Package;
use mgp_client_sdk::Era;

/// How a server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    Stdio,
    Http,
    /// HTTP+SSE, the transport of 2024-11-05.
    HttpSse,
}

/// In which eras a server can be spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Eras {
    Initialize,
    /// In both. Who asks finds the later one.
    Both,
}

/// A server and what is asked of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ServerPeer {
    /// Its id in the kernel's configuration.
    pub(crate) id: &'static str,
    pub(crate) package: Package,
    pub(crate) transport: Transport,
    pub(crate) eras: Eras,
    /// The file or program that is run, by where its package comes from.
    pub(super) program: &'static str,
    pub(super) args: &'static [&'static str],
    pub(super) env: &'static [(&'static str, &'static str)],
    /// How many tools it lists to a client that can be asked everything.
    pub(crate) tools: usize,
    /// How many resources and how many templates it lists.
    pub(crate) resources: (usize, usize),
    pub(crate) prompts: usize,
    /// None where it can do nothing without a network.
    pub(crate) probes: &'static [Probe],
}

/// One question to the index, and one call.
#[derive(Debug)]
pub(crate) struct Probe {
    /// What the tool is needed for.
    pub(crate) sentence: &'static str,
    pub(crate) tool: &'static str,
    pub(crate) arguments: &'static str,
    pub(crate) steady: Steady,
}

/// How long an answer stays the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Steady {
    Always,
    /// The date is in it, so the server is asked directly before and after.
    WithinADay,
}

impl Transport {
    /// The path of a server's endpoint.
    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::Stdio | Self::Http => "/mcp",
            Self::HttpSse => "/sse",
        }
    }
}

impl Eras {
    /// The eras that it speaks, the one that who asks finds first.
    pub(crate) const fn found_first(self) -> &'static [Era] {
        match self {
            Self::Initialize => &[Era::Initialize],
            Self::Both => &[Era::Stateless, Era::Initialize],
        }
    }
}

impl ServerPeer {
    /// One that lists only tools, over stdio.
    pub(super) const fn stdio(id: &'static str, package: Package, program: &'static str) -> Self {
        Self {
            id,
            package,
            transport: Transport::Stdio,
            eras: Eras::Initialize,
            program,
            args: &[],
            env: &[],
            tools: 0,
            resources: (0, 0),
            prompts: 0,
            probes: &[],
        }
    }
}
