//! Confinement on Linux.

mod bubblewrap;
mod calls;
mod egress;
mod engine_filter;
mod enter;
mod expand;
mod filter;
mod home;
mod identity;
mod init;
mod limits;
mod members;
mod mounts;
mod prepare;
mod report;
mod ruleset;
mod stage;
mod start;
mod trial;

pub(super) use bubblewrap::{is_preferred as prefers_bubblewrap, usable as usable_bubblewrap};
pub(super) use calls::{ids, memory_file};
pub(super) use engine_filter::engine_filter;
pub(super) use enter::listen_in;
pub(super) use home::listed_home;
pub(super) use identity::is_root;
pub(super) use limits::prepare_limits;
pub(super) use prepare::prepare;
pub(super) use ruleset::landlock_abi;
pub(super) use stage::continue_start;
pub(super) use trial::refused_namespaces;
