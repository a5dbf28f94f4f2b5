//! Which tools a principal may see.

use mgp_types::context::{Principal, ToolId};
use std::{fmt, sync::Arc};

/// Which tools a principal may see. Access control implements it; lists and the tool index filter by it.
pub trait Visibility: fmt::Debug + Send + Sync + 'static {
    /// What a principal sees at this moment: one consistent view for a whole list or search.
    fn view(&self, principal: &Principal) -> Arc<dyn ToolView>;
}

/// What one principal sees.
pub trait ToolView: Send + Sync {
    /// Whether the principal may see, and so call, a tool.
    fn sees(&self, tool: &ToolId) -> bool;

    /// Whether the principal may use what a server has beside tools: resources, prompts, completions.
    fn sees_server(&self, server_id: &str) -> bool;

    /// What [`sees`](Self::sees) says of every tool of a server, where it is the same for all; `None` where each has to be
    /// asked about. For searches over very many tools.
    fn sees_all_tools(&self, server_id: &str) -> Option<bool> {
        let _ = server_id;
        None
    }
}

/// Lets everybody see everything: for a client of one server, which has no access control.
#[derive(Debug, Clone, Copy, Default)]
pub struct Everything;

impl Visibility for Everything {
    fn view(&self, _: &Principal) -> Arc<dyn ToolView> {
        Arc::new(Self)
    }
}

impl ToolView for Everything {
    fn sees(&self, _: &ToolId) -> bool {
        true
    }
    fn sees_server(&self, _: &str) -> bool {
        true
    }
    fn sees_all_tools(&self, _: &str) -> Option<bool> {
        Some(true)
    }
}

/// What is seen by who may see nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nothing;

impl ToolView for Nothing {
    fn sees(&self, _: &ToolId) -> bool {
        false
    }
    fn sees_server(&self, _: &str) -> bool {
        false
    }
    fn sees_all_tools(&self, _: &str) -> Option<bool> {
        Some(false)
    }
}
