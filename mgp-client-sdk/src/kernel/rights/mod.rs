//! The rights of callers, as they are judged again when a call has waited.

mod current_tools;
pub(in crate::kernel) mod grant_limits;
#[expect(clippy::module_inception, reason = "the rights are named for what they are")]
pub(in crate::kernel) mod rights;

pub(in crate::kernel) use current_tools::CurrentTools;
