//! The methods for prompts.

use super::{get, list};
use crate::kernel::{catalog::tools::Tools, features::forward::Forwarder};
use mgp_transport::seam::{Role, Routes};
use mgp_types::mcp::{GetPrompt, ListPrompts};
use std::sync::Arc;

/// The servers with prompts, and the tools, which show an agent the servers whose prompts it may not use.
#[derive(Debug, Clone)]
pub(in crate::kernel) struct PromptMethods {
    pub(in crate::kernel) forwarder: Forwarder,
    pub(in crate::kernel) tools: Arc<Tools>,
}

/// Returns the methods for prompts.
pub(in crate::kernel) fn routes() -> Routes<PromptMethods> {
    Routes::new().route(ListPrompts, Role::Anyone, list::list_prompts).route(
        GetPrompt,
        Role::Anyone,
        get::get,
    )
}
