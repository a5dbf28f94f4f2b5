//! This process's own stdin and stdout as a connection, for a server that a host starts as its child.

mod connect;
mod stdin;

pub use connect::{config, connect};
pub use stdin::stdin;
