//! The rows: one file a group.

mod all;
mod compatibility;
mod hosts;
mod in_front;

pub(crate) use all::rows;
