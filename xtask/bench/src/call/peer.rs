//! The peer: rmcp, its own server and its own client.

use super::STREAM;
use crate::{
    adder::{Add, Adder, NAME},
    measure::Caller,
};
use rmcp::{
    RoleClient, RoleServer, ServiceExt,
    model::CallToolRequestParams,
    service::{Peer, RunningService},
};
use std::sync::Arc;

/// A client that is connected to its server.
#[derive(Clone)]
pub(super) struct Rmcp {
    peer: Peer<RoleClient>,
    /// Dropping them would end the connection.
    _ends: Arc<(RunningService<RoleClient, ()>, RunningService<RoleServer, Adder>)>,
}

impl Rmcp {
    /// Connects and shakes hands.
    pub(super) async fn connect() -> Result<Self, String> {
        let (here, there) = tokio::io::duplex(STREAM);
        let server = async { Adder::new().serve(there).await.map_err(|error| error.to_string()) };
        let client = async { ().serve(here).await.map_err(|error| error.to_string()) };
        let (client, server) = tokio::try_join!(client, server)?;
        Ok(Self { peer: client.peer().clone(), _ends: Arc::new((client, server)) })
    }
}

impl Caller for Rmcp {
    async fn call(&self, number: i64) -> Result<(), String> {
        let add = Add::of(number);
        let arguments = rmcp::object!({ "a": add.a, "b": add.b });
        let params = CallToolRequestParams::new(NAME).with_arguments(arguments);
        let result = self.peer.call_tool(params).await.map_err(|error| error.to_string())?;
        add.check(result.content.first().and_then(|block| block.as_text()).map(|block| &*block.text))
    }
}
