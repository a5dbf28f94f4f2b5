//! This process's own stdin and stdout as a connection: what a host that starts servers speaks.

mod connect;
mod stdin;

pub use connect::{config, connect};
pub use stdin::{Stdin, stdin};
