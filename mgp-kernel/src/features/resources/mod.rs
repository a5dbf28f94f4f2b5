//! The resources of all servers, for one host: those of the servers that its agent may use.

mod list;
mod methods;
mod read;
mod subscribe;

pub(crate) use methods::{ResourceMethods, routes};
