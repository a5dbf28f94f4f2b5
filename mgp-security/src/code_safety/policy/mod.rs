//! The policies: one table for each language, with the capabilities of its names. The walkers contain no capabilities.

mod bash;
mod javascript;
mod python;
mod table;

pub(super) use bash::BASH;
pub(super) use javascript::JAVASCRIPT;
pub(super) use python::PYTHON;
pub(super) use table::{Policy, Special, prefixes};
