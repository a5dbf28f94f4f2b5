//! The server `files`: reads, writes and searches the text files of one folder.

mod error;
mod folder;
mod search;
mod server;

pub(crate) use server::spec;
