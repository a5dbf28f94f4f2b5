//! Methods other than calls of tools, and what the kernel does with results.

mod announce;
mod audit_forwarding;
#[cfg(feature = "http")]
mod audit_over_http;
pub(crate) mod compensations;
pub(crate) mod eras;
pub(crate) mod events;
mod events_own;
mod events_upstream;
mod extensions;
pub(crate) mod references;
#[cfg(feature = "http")]
mod references_fetched;
mod references_long;
mod references_over_limit;
mod references_shared;
pub(crate) mod registration;
mod rollbacks;
pub(crate) mod session_state;
mod tasks_across_eras;
#[cfg(all(target_os = "linux", feature = "child"))]
mod tool_creation;
mod transactions;
mod watching;
