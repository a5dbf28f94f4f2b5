//! HTTP requests, made of the arguments of calls.

mod arguments;
mod body;
mod call;
mod encode;
mod error;
mod file;
mod form;
mod headers;
mod multipart;
mod path;
mod query;
mod style;
mod value;

pub use call::{ApiRequest, RequestBody};
pub use error::ArgumentError;

pub(crate) use encode::query_text;
