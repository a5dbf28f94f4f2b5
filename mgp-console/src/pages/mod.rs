//! The pages, one folder each: `view.rs` writes the middle, `words.rs` names its words, and other files read what commands print.

mod agents;
mod approvals;
mod judgement;
mod now;
mod routes;
mod servers;
mod settings;
mod tools;
mod trail;

pub(crate) use agents::{AgentWords, made_key};
pub(crate) use approvals::{ApprovalWords, pattern_preview, waiting};
pub(crate) use judgement::JudgementWords;
pub(crate) use now::{NowWords, live_line};
pub(crate) use routes::router;
pub(crate) use servers::{
    AddServerWords, ServerDetailWords, ServerWords, added_answer, controlled_answer, preview_answer,
    registered_answer, removed_answer,
};
pub(crate) use settings::{
    DoctorWords, SettingWords, checked_answer, doctor_answer, reloaded_answer, saved_answer,
};
pub(crate) use tools::{ToolWords, arguments, call_answer, check_answer};
pub(crate) use trail::{TrailWords, verify_answer};
