//! Python: names are resolved as CPython does, regardless of the order in which code runs.

mod annotations;
mod bindings;
mod class_patterns;
mod data_files;
mod files;
mod helper_calls;
mod imports;
mod libraries;
mod module_names;
mod positions;
mod replaced;
mod runtime_names;
mod special_calls;
mod strings;
mod values;
mod walk;
mod walker;

pub(in crate::code_safety) use module_names::{module_bindings, module_name};
pub(super) use walker::findings;
