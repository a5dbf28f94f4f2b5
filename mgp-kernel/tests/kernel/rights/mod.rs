//! The rights of callers, and the approvals of users.

mod approvals;
mod asked_together;
mod concealment;
pub(crate) mod delegation;
mod disabled;
mod failed_changes;
mod grants;
mod keys;
mod limits;
mod outage;
mod policies;
mod reloads;
mod rights_after_wait;
mod roles;
mod two_agents;
