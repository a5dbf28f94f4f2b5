//! HTTP requests, made of the arguments of calls.

mod arguments;
mod body;
mod encode;
mod error;
mod file;
mod form;
mod headers;
mod multipart;
mod path;
mod query;
mod request;
mod style;
mod value;

pub use error::ArgumentError;
pub use request::{ApiRequest, RequestBody};

pub(crate) use encode::query_text;
