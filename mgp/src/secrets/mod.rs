//! Secrets outside of the configuration: their store, files and commands, and the search for keys in values of servers.

mod moving;
mod program;
mod reader;

pub(crate) use moving::{find_keys, replace_keys, store_keys, with_secrets};
pub(crate) use reader::{AccountSecrets, text, unusable};
