//! Our programs that the legs start.

use std::path::PathBuf;
use xtask_install::program_path;

/// One of our programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Program {
    /// The server under test.
    Fixture,
    /// The client under test.
    Client,
    /// The program `mgp`.
    Kernel,
}

impl Program {
    /// Returns the path of the program once it is built.
    pub(crate) fn path(self) -> PathBuf {
        program_path(match self {
            Self::Fixture => "conformance-server",
            Self::Client => "conformance-client",
            Self::Kernel => "mgp",
        })
    }
}
