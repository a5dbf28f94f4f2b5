//! Servers with one process for each session of a host.
//!
//! The server itself lists what it offers, and answers requests outside of sessions. The requests of a session go to an instance of the server:
//! another process of the same command, which starts with the session's first request and ends with the session.

#[expect(clippy::module_inception, reason = "the module is named for what it holds")]
mod instances;
mod observer;

pub use instances::HostFolder;
pub(crate) use instances::Instances;
