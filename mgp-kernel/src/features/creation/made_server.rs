//! The server in this process with a single tool from an agent's code. The code speaks no protocol: it only gets arguments and returns a
//! value, so that it cannot change the tool's definition or ask questions.

use super::program::Program;
use crate::Endpoint;
use mgp_security::code_safety::Signature;
use mgp_server_sdk::{Error, Server, Tool, extract::RawArgs};

/// The maximum number of concurrent calls of one tool.
pub(super) const MAX_CALLS: usize = 2;

/// Returns the endpoint of the server.
///
/// # Errors
/// [`Error`] if the tool's definition is invalid.
pub(super) fn endpoint(
    server_id: &str,
    tool_name: &str,
    description: String,
    signature: &Signature,
    program: Program,
) -> Result<Endpoint, Error> {
    let call = move |RawArgs(arguments): RawArgs| {
        let program = program.clone();
        async move { program.call(&arguments).await }
    };
    let tool = Tool::raw(tool_name, description, signature.input_schema(), call).title(&*signature.function);
    let server = Server::new(server_id, env!("CARGO_PKG_VERSION")).tool(tool).max_concurrent_calls(MAX_CALLS);
    Ok(server.build()?.into())
}
