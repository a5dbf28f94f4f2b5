//! The calls of the last minutes, for the operator's report. They are always counted, in memory of a bounded size.

mod minutes;
#[expect(clippy::module_inception, reason = "the traffic is named for what it is")]
mod traffic;

pub(crate) use traffic::Traffic;
