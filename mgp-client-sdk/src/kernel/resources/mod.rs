//! The resources of all servers, for one host: those of the servers that its agent may use.

mod list;
mod methods;
mod overlaps;
mod read;
mod subscribe;

pub(super) use list::for_host;
pub(super) use methods::routes;
pub(super) use read::owner;
pub(super) use subscribe::{WatchGuard, watch_while};
