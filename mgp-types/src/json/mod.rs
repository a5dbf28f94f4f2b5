//! JSON that is carried, not rebuilt: raw values, shallow objects, bounded deep reading.

mod canonical;
mod deep;
mod depth;
mod error;
mod items;
mod keys;
mod mark;
mod nullable;
mod object;
mod pointer;
mod raw;
#[cfg(feature = "schema")]
mod schema_members;
pub(crate) mod slices;
mod surrogates;
mod unique;

pub use deep::{Deep, Part, read_deep};
pub use depth::MAX_DEPTH;
pub use error::JsonError;
pub use mark::without_mark;
pub use nullable::Nullable;
pub(crate) use nullable::present;
pub use object::RawObject;
pub(crate) use object::write_string;
pub use pointer::JsonPointer;
pub use raw::RawJson;
#[cfg(feature = "schema")]
pub(crate) use schema_members::SchemaMembers;
pub use unique::check_unique_keys;

pub(crate) use depth::check_depth;
