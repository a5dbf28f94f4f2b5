//! Ours: a server on the bare seam, and a client's typed call.

use super::add::{self, Add};
use crate::measure::Caller;
use mgp_transport::{
    connection::Connection,
    seam::{BoxError, Incoming, Peer, Reply},
};
use mgp_types::{
    json::RawJson,
    mcp::{CallTool, CallToolParams, CallToolResult},
    rpc::ErrorObject,
};
use std::sync::Arc;

/// A client that is connected to its server.
#[derive(Debug, Clone)]
pub(super) struct Ours {
    peer: Peer,
    /// Dropping them would end the connection.
    _ends: Arc<(Connection, Connection)>,
}

impl Ours {
    pub(super) fn connect() -> Self {
        let (here, there) = tokio::io::duplex(add::STREAM);
        let (input, output) = tokio::io::split(there);
        let server = Connection::builder(tower::service_fn(serve)).over(input, output);
        let (input, output) = tokio::io::split(here);
        let client = Connection::builder(tower::service_fn(refuse)).over(input, output);
        Self { peer: client.peer().clone(), _ends: Arc::new((client, server)) }
    }
}

impl Caller for Ours {
    async fn call(&self, number: i64) -> Result<(), String> {
        let add = Add::of(number);
        let arguments = RawJson::from_value(&add).map_err(|error| error.to_string())?;
        let params = CallToolParams::new(add::NAME, arguments);
        let result = self.peer.request::<CallTool>(&params).await.map_err(|error| error.to_string())?;
        add.check(result.content.first().and_then(|block| block.as_text()))
    }
}

async fn serve(message: Incoming) -> Result<Reply, BoxError> {
    Ok(if &*message.method == "tools/call" {
        call(&message).map_or_else(Reply::error, |result| Reply::from_value(&result))
    } else {
        Reply::error(ErrorObject::method_not_found(&message.method))
    })
}

fn call(message: &Incoming) -> Result<CallToolResult, ErrorObject> {
    let params = message.params.object()?;
    let name = params.text("name");
    if name.as_deref() != Some(add::NAME) {
        return Err(ErrorObject::invalid_params(format!("unknown tool {name:?}")));
    }
    let invalid = |problem: String| ErrorObject::invalid_params(format!("invalid arguments: {problem}"));
    let arguments = params.get("arguments").ok_or_else(|| invalid("missing".into()))?;
    let add: Add = arguments.decode().map_err(|error| invalid(error.to_string()))?;
    Ok(CallToolResult::text(add.sum()))
}

/// The server asks its client for nothing.
async fn refuse(message: Incoming) -> Result<Reply, BoxError> {
    Ok(Reply::error(ErrorObject::method_not_found(&message.method)))
}
