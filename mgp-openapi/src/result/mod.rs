//! Tool results, made of HTTP responses.

mod content;
mod error;
mod response;
