//! docs/compatibility/mgp-compatibility.md: the rules of MGP's specification, and the tests that show them.

mod check;
mod page;
mod sections;

pub(super) use check::check;
pub(super) use page::PATH;
