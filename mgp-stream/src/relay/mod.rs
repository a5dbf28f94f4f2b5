//! §12 From a server's call to a host's: chunks and progress, each on the path that the host understands.

mod chunk;
mod host;
mod progress;
mod relay_call;

pub use host::Host;
pub use relay_call::{Relay, Relayed};
