//! The rights of callers, as they are judged again when a call has waited.

mod current_tools;
pub(crate) mod grant_limits;
#[expect(clippy::module_inception, reason = "the rights are named for what they are")]
pub(crate) mod rights;

pub(crate) use current_tools::CurrentTools;
