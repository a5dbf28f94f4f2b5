//! The result of a call: texts, values, tables, pictures and sounds.

mod content;
mod media;
mod table;
mod value;

pub(super) use content::{content, is_failure};
pub(super) use value::value_view;
