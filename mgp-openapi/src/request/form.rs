//! Bodies of the type `application/x-www-form-urlencoded`.

use super::{
    encode::query_text,
    query::written,
    value::{Parts, text},
};
use crate::operation::PartFormat;
use mgp_types::json::RawJson;

/// Returns the pairs `name=value` of a member. Without a style, a list is repeated and an object is JSON.
pub(super) fn pairs(name: &str, value: &RawJson, format: &PartFormat) -> Vec<String> {
    match (format.serialization, Parts::of(value)) {
        (Some(form), _) => written(name, value, form),
        (None, Parts::List(items)) => items.iter().map(|item| query_text(name, item)).collect(),
        (None, _) => vec![query_text(name, &text(value))],
    }
}
