//! The tools over REST, for programs that other people made to read documents of OpenAPI: a validator, and a generated client.

mod client;
mod document;
mod rows;
mod validator;

pub(super) use rows::rows;
