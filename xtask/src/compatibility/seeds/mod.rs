//! docs/compatibility/seeds.md: the capabilities of the four documents besides MGP's specification, and the tests that show them.

mod check;
mod document;
mod page;

pub(super) use check::check;
pub(super) use document::compare;
pub(super) use page::PATH;
