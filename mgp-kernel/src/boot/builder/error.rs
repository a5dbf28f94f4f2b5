//! The errors of starting a kernel.

use crate::ConfigurationError;
use mgp_discovery::registry::RegistryError;
use mgp_security::access::StoreError;
use mgp_toolindex::index::IndexError;
use std::fmt;

/// An error that keeps a kernel from starting.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// Two servers have one id, or there are too many.
    #[error("{0}")]
    Servers(#[from] RegistryError),
    /// A server's id cannot be named in calls and grants.
    #[error("invalid id of a server: {0}")]
    ServerId(String),
    /// The configuration cannot be carried out.
    #[error("{0}")]
    Configuration(#[from] ConfigurationError),
    /// State could not be read.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// A rule set by the program is invalid, or could not be stored or recorded.
    #[error("failed to grant: {0}")]
    Grant(String),
    /// The program adds a method that the kernel has.
    #[error(
        "method {0:?} of the program (`KernelBuilder::routes`) is one of the kernel's own: expected another name, such as \"com.example/NAME\""
    )]
    Method(&'static str),
    /// The operating system provides no random bytes, which are needed to seal session handles.
    #[error("no random bytes: {0}")]
    Random(#[source] std::io::Error),
    /// The tool index could not be created.
    #[error("{0}")]
    Index(#[from] IndexError),
}

// A `main` that returns the error prints this form.
impl fmt::Debug for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
