//! The created tools, by session.

use mgp_types::context::SessionTag;
use parking_lot::Mutex;
use std::{collections::HashMap, fmt};

/// The maximum number of created tools over all sessions.
pub(super) const MAX_MADE: usize = 64;

/// A tool created from an agent's code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MadeTool {
    /// The server of only this tool.
    pub(super) server_id: String,
    /// The name of the function.
    pub(super) function: String,
    /// The agent that created it.
    pub(super) agent_id: String,
}

/// The created tools, by session.
#[derive(Default)]
pub(super) struct MadeTools(Mutex<HashMap<SessionTag, Vec<MadeTool>>>);

impl MadeTools {
    /// Returns the number of tools of a session.
    pub(super) fn count(&self, session: SessionTag) -> usize {
        self.0.lock().get(&session).map_or(0, Vec::len)
    }

    /// Returns the number of tools of all sessions.
    pub(super) fn total(&self) -> usize {
        self.0.lock().values().map(Vec::len).sum()
    }

    /// Returns the tool of a session that was created from a function with this name.
    pub(super) fn of_function(&self, session: SessionTag, function: &str) -> Option<MadeTool> {
        self.0.lock().get(&session)?.iter().find(|made| made.function == function).cloned()
    }

    pub(super) fn add(&self, session: SessionTag, made: MadeTool) {
        self.0.lock().entry(session).or_default().push(made);
    }

    /// Removes a tool. Returns it if it existed.
    pub(super) fn remove(&self, session: SessionTag, server_id: &str) -> Option<MadeTool> {
        let mut sessions = self.0.lock();
        let tools = sessions.get_mut(&session)?;
        let at = tools.iter().position(|made| made.server_id == server_id)?;
        let removed = tools.swap_remove(at);
        if tools.is_empty() {
            sessions.remove(&session);
        }
        Some(removed)
    }
}

impl fmt::Debug for MadeTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MadeTools({})", self.total())
    }
}
