//! Servers that run in this process.

use mgp_kernel::{Endpoint, InProcess, ServerSpec};
use mgp_server_sdk::ServerStack;

/// Returns the specification of a server in this process. Each connection of the kernel is a new pair of in-memory
/// streams.
pub(crate) fn in_process(id: &str, stack: ServerStack) -> ServerSpec {
    ServerSpec::new(id, Endpoint::InProcess(InProcess::new(move || stack.in_process())))
}
