//! `mgp approve`: the operator's decisions on permissions, calls and requested servers.

mod args;
mod calls;
mod definitions;
mod earlier;
mod follow;
mod open_questions;
mod permissions;
mod preview;
mod queue;
mod run;
mod scope;
mod servers;

pub(crate) use args::ApproveArgs;
pub(crate) use open_questions::OpenQuestions;
pub(crate) use run::run;
