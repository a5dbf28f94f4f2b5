//! The tools over REST, for programs that other people made to read documents of OpenAPI: a validator, and a generated client.

mod client;
mod document;
mod validator;

use crate::rows::Row;

pub(super) fn rows() -> Vec<Row> {
    vec![validator::row(), client::row()]
}
