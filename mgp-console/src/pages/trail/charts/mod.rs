//! Charts of calls, refusals, latency and tokens, each with a table behind it.

mod bars;
mod frame;
mod groups;
mod lines;
mod report;
mod view;

pub(super) use view::charts;
