//! The buttons of the console, each of which runs one command.

mod action;
mod agents;
mod approvals;
mod run;
mod servers;
mod settings;
mod table;
mod tools;
mod trail;

pub(crate) use action::Action;
pub(crate) use approvals::{APPROVE, DENY};
pub(crate) use run::run;
pub(crate) use servers::{DRAIN, RESTART, START, STOP};
pub(crate) use table::actions;
