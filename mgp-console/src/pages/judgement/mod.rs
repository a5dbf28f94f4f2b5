//! The explanation of a decision on an agent's call, which several pages show.

mod report;
mod view;
mod words;

pub(crate) use report::CallArguments;
pub(crate) use view::judgement;
pub(crate) use words::JudgementWords;
