//! The peer: rmcp, its own server with its tool router, and its own client.

use super::add::{self, Add};
use crate::measure::Caller;
use rmcp::{
    RoleClient, RoleServer, ServerHandler, ServiceExt,
    handler::server::{router::tool::ToolRouter, wrapper::Parameters},
    model::{CallToolRequestParams, ServerCapabilities, ServerConfig},
    service::{Peer, RunningService},
    tool, tool_handler, tool_router,
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
        let (here, there) = tokio::io::duplex(add::STREAM);
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
        let params = CallToolRequestParams::new(add::NAME).with_arguments(arguments);
        let result = self.peer.call_tool(params).await.map_err(|error| error.to_string())?;
        add.check(result.content.first().and_then(|block| block.as_text()).map(|block| &*block.text))
    }
}

struct Adder {
    tool_router: ToolRouter<Self>,
}

#[tool_router]
impl Adder {
    fn new() -> Self {
        Self { tool_router: Self::tool_router() }
    }

    #[tool(description = "Adds two numbers")]
    async fn add(&self, Parameters(add): Parameters<Add>) -> String {
        add.sum()
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Adder {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}
