//! The explanation of a decision on an agent's call, which several pages show.

mod report;
mod view;

pub(crate) use report::CallArguments;
pub(crate) use view::judgement;
