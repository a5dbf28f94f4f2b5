//! `mgp call`: calls one tool once.

mod answer;
mod check;
mod gateway;
mod options;
mod run;

pub(crate) use check::judgement_lines;
pub(crate) use run::{CallArgs, run};
