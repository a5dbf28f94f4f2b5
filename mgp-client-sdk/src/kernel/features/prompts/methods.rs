//! The methods for prompts.

use super::{get, list};
use crate::kernel::features::forward::Forwarder;
use mgp_transport::seam::{Role, Routes};
use mgp_types::mcp::{GetPrompt, ListPrompts};

/// Returns the methods for prompts.
pub(in crate::kernel) fn routes() -> Routes<Forwarder> {
    Routes::new().route(ListPrompts, Role::Anyone, list::list_prompts).route(
        GetPrompt,
        Role::Anyone,
        get::get,
    )
}
