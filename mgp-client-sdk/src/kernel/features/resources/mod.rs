//! The resources of all servers, for one host: those of the servers that its agent may use.

mod list;
mod methods;
mod overlaps;
mod read;
mod subscribe;

pub(in crate::kernel) use list::for_host;
pub(in crate::kernel) use methods::routes;
pub(in crate::kernel) use read::owner;
pub(in crate::kernel) use subscribe::{WatchGuard, watch_while};
