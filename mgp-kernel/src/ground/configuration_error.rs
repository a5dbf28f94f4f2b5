//! The error of a configuration that cannot be applied.

use std::fmt;

/// An error in a configuration that prevents it from being applied.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigurationError {
    /// A server has a transport that this build does not support.
    #[error("server {server:?} needs the transport {transport}, which this build does not have")]
    Transport {
        /// The server.
        server: String,
        /// The transport.
        transport: &'static str,
    },
    /// The policy file of `access.policy_file` cannot be used.
    #[error("access.policy_file: {0}")]
    PolicyFile(String),
    /// A key of `[telemetry]` is not supported.
    #[error("{0}")]
    Telemetry(&'static str),
    /// Tools cannot be created from agents' code, because this build starts no processes.
    #[error("tool_creation.agents needs the feature `child`, which this build does not have")]
    ToolCreation,
    /// The registries of `discovery.recommend` cannot be used.
    #[error("discovery.recommend: {0}")]
    Recommend(String),
    /// Values of the configuration are invalid.
    #[error("{0}")]
    Value(String),
    /// A value of a server cannot be used.
    #[error("server {server:?}: {reason}")]
    Server {
        /// The server.
        server: String,
        /// The reason why the value cannot be used.
        reason: String,
    },
}

// A `main` that returns the error prints this form.
impl fmt::Debug for ConfigurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
