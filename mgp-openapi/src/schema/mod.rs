//! JSON Schema 2020-12, converted from the schemas of OpenAPI 3.0 and 3.1.

mod assemble;
mod convert;
mod hidden;
mod keywords;
mod kinds;
mod members;
mod pattern;
mod reduce;
mod table;

pub(crate) use kinds::{Kind, Kinds};
pub(crate) use members::{ObjectMember, ObjectMembers};
pub(crate) use reduce::size;
pub(crate) use table::{Conversion, Direction, SchemaTable};
