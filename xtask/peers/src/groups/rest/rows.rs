//! The rows of REST.

use super::{client, validator};
use crate::rows::Row;

pub(in crate::groups) fn rows() -> Vec<Row> {
    vec![validator::row(), client::row()]
}
