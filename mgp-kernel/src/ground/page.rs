//! Lists in one page: the kernel has the whole list, and each host gets all of it.

use mgp_transport::seam::Reply;
use mgp_types::json::{RawJson, RawObject};

/// Answers with a list, under its name.
pub(crate) fn page(member: &'static str, entries: &[RawJson]) -> Reply {
    match RawJson::from_value(entries) {
        Ok(entries) => Reply::ok(RawObject::from_iter([(member, entries)]).to_json()),
        Err(error) => Reply::error(error.into()),
    }
}
