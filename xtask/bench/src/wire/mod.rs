//! A client over HTTP/1.1, the same for every contestant: raw TCP kept alive, with only the features that a tool call needs.

mod answer;
mod caller;
mod connection;
mod request;
mod response;

pub(crate) use caller::{HttpCaller, post};
pub(crate) use request::Era;
