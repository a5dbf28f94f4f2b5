//! The policies: one table for each language, of what its names are capable of. The walkers know no capabilities.

mod bash;
mod javascript;
mod python;
mod table;

pub(super) use bash::BASH;
pub(super) use javascript::JAVASCRIPT;
pub(super) use python::PYTHON;
pub(super) use table::{Policy, Special, prefixes};
