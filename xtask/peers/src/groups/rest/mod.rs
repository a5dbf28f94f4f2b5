//! The tools over REST, for other people's programs that read documents of OpenAPI: a validator, and a generated client.

mod client;
mod document;
mod rows;
mod validator;

pub(super) use rows::rows;
