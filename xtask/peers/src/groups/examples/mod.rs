//! The examples of the documentation that call `curl`, run as they are written.

mod console;
mod curl;

pub(super) use curl::rows;
