//! The peer's: the tool on rmcp's tool router.

use super::add::Add;
use rmcp::{
    ServerHandler,
    handler::server::{router::tool::ToolRouter, wrapper::Parameters},
    model::{ServerCapabilities, ServerConfig},
    tool, tool_handler, tool_router,
};

/// rmcp's server with the tool.
pub(crate) struct Adder {
    tool_router: ToolRouter<Self>,
}

#[tool_router]
impl Adder {
    pub(crate) fn new() -> Self {
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
