//! The rows of the proposals.

use super::{manifests, messages, references, server};
use crate::rows::Row;

pub(in crate::groups) fn rows() -> Vec<Row> {
    let mut rows = server::rows();
    rows.extend([references::row(), manifests::row(), messages::row()]);
    rows
}
