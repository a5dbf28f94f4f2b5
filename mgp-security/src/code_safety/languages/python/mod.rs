//! Python: names are resolved as CPython does, without regard to the order in which code runs.

mod bindings;
mod files;
mod imports;
mod module_names;
mod special_calls;
mod strings;
mod values;
mod walker;

pub(in crate::code_safety) use module_names::{module_bindings, module_name};
pub(super) use walker::findings;
