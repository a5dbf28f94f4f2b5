//! `mgp approve`: the operator's answers, on permissions of servers and on calls.

mod calls;
mod definitions;
mod follow;
mod open_questions;
mod permissions;
mod run;
mod scope;
mod servers;

pub(crate) use open_questions::OpenQuestions;
pub(crate) use run::{ApproveArgs, run};
