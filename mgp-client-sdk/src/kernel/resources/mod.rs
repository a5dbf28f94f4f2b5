//! The resources of all servers, as one host sees them: those of the servers that its agent may use.

mod list;
mod read;
mod subscribe;

pub(super) use list::{for_host, list_resources, list_templates};
pub(super) use read::{owner, read};
pub(super) use subscribe::{subscribe, unsubscribe, watch_while};
