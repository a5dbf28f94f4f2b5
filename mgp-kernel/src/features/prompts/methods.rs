//! The methods for prompts.

use super::{get, list};
use crate::{catalog::tools::Tools, features::forward::Forwarder};
use mgp_transport::seam::{Role, Routes};
use mgp_types::mcp::{GetPrompt, ListPrompts};
use std::sync::Arc;

/// The servers with prompts, and the tools, which show an agent the servers whose prompts it may not use.
#[derive(Debug, Clone)]
pub(crate) struct PromptMethods {
    pub(crate) forwarder: Forwarder,
    pub(crate) tools: Arc<Tools>,
}

/// Returns the methods for prompts.
pub(crate) fn routes() -> Routes<PromptMethods> {
    Routes::new().route(ListPrompts, Role::Anyone, list::list_prompts).route(
        GetPrompt,
        Role::Anyone,
        get::get,
    )
}
