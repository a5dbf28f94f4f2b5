//! The rows of the proposals.

use super::{events, form, manifests, messages, references, saga, server};
use crate::rows::Row;

pub(in crate::groups) fn rows() -> Vec<Row> {
    let mut rows = server::rows();
    rows.extend(form::rows());
    rows.extend([saga::row(), events::row(), references::row(), manifests::row(), messages::row()]);
    rows
}
