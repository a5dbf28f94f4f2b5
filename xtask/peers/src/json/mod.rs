//! Compares JSON and searches it.

mod mgp_parts;
mod normal;

pub(crate) use mgp_parts::mgp_parts;
pub(crate) use normal::{Normal, difference};
