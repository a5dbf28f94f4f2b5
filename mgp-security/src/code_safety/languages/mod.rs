//! The languages: a grammar, a walker that turns a tree into findings, and a policy.

mod bash;
mod javascript;
mod language;
mod names;
mod python;
mod value;
mod working_folder;

pub(super) use language::Language;
pub(super) use python::{module_bindings, module_name};
