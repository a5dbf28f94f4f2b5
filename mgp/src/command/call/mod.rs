//! `mgp call`: calls one tool once.

mod answer;
mod check;
mod gateway;
mod options;
mod run;
mod save;

pub(crate) use check::judgement_lines;
pub(crate) use run::{CallArgs, run};
