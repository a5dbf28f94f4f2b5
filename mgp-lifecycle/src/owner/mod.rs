//! The processes that share a store, and which of them still run.

mod file;
#[expect(clippy::module_inception, reason = "the module is named for what it holds")]
mod owner;
mod row;

pub(crate) use owner::Owner;
#[cfg(feature = "replicas")]
pub(crate) use owner::new_id;
