//! §12 Relaying chunks and progress from a server's call to the host's, each on the path that the host understands.

mod chunk;
mod host;
mod progress;
mod relay_call;

pub use host::Host;
pub use relay_call::{Relay, RelayOutcome};
