//! The page of servers: their list, each server with its log, tools, confinement, events and changed definitions, and the forms that add one.

mod add;
mod configured;
mod confinement;
mod controlled;
mod definition_report;
mod definitions;
mod detail;
mod explanation;
mod facts;
mod failure;
mod history;
mod list;
mod log;
mod marked;
mod offers;
mod report;
mod runs;
mod state;
#[cfg(test)]
mod tests;
mod view;

pub(crate) use add::{added_answer, planned_answer, preview_answer, registered_answer};
pub(crate) use controlled::{controlled_answer, removed_answer};
pub(crate) use view::servers;
