//! The pages, one folder each: `view.rs` writes the middle, and other files read what commands print.

mod agents;
mod approvals;
mod judgement;
mod now;
mod routes;
mod servers;
mod settings;
mod tools;
mod trail;

pub(crate) use agents::{RULE_DOUBT, made_key, rule_doubt, rule_outcome};
pub(crate) use approvals::{decision_outcome, pattern_preview, waiting};
pub(crate) use now::live_line;
pub(crate) use routes::router;
pub(crate) use servers::{
    added_answer, controlled_answer, planned_answer, preview_answer, registered_answer, removed_answer,
};
pub(crate) use settings::{checked_answer, doctor_answer, reloaded_answer, saved_answer};
pub(crate) use tools::{arguments, call_answer, check_answer};
pub(crate) use trail::verify_answer;
