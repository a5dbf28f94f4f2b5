//! `mgp approve`: the operator's decisions on permissions, calls and requested servers.

mod calls;
mod definitions;
mod follow;
mod open_questions;
mod permissions;
mod preview;
mod run;
mod scope;
mod servers;

pub(crate) use open_questions::OpenQuestions;
pub(crate) use run::{ApproveArgs, run};
