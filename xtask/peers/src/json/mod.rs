//! Compares JSON and searches it.

mod mgp_parts;
mod normal;
mod plain_result;

pub(crate) use mgp_parts::mgp_parts;
pub(crate) use normal::{Normal, difference};
pub(crate) use plain_result::plain_result;
