//! The examples of the documentation that call `curl`, run as they are written.

mod console;
mod curl;

use crate::rows::Row;

pub(super) fn rows() -> Vec<Row> {
    curl::rows()
}
