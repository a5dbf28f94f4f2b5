//! All actions.

use super::{agents, approvals, servers, settings, tools, trail};
use crate::page::Action;

/// All actions, by page.
const PAGES: &[&[&Action]] =
    &[approvals::ALL, servers::ALL, tools::ALL, agents::ALL, trail::ALL, settings::ALL];

/// Returns all actions.
pub(crate) fn actions() -> impl Iterator<Item = &'static Action> {
    PAGES.iter().copied().flatten().copied()
}

/// Returns the action at an address.
pub(crate) fn action(name: &str) -> Option<&'static Action> {
    actions().find(|action| action.name == name)
}
