//! The arguments of a call: a form from a schema, and an object from the fields of the form.

mod field;
mod name;
mod object;
mod schema;

pub(super) use field::ArgumentField;
pub(super) use name::{ArgumentKind, WHOLE};
pub(crate) use object::arguments;
pub(super) use schema::fields;
