//! Python: names are resolved as CPython does, without regard to the order in which code runs.

mod bindings;
mod files;
mod imports;
mod special_calls;
mod strings;
mod values;
mod walker;

pub(super) use walker::findings;
