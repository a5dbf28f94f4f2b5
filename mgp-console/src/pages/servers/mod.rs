//! The page of servers.

mod view;
mod words;

pub(crate) use view::servers;
pub(crate) use words::ServerWords;
