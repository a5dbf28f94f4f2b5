//! The parts of a request that are read before its message is handed over: media types, revision, body and idempotency key.

mod body;
pub(super) mod idempotency_key;
pub(super) mod media_types;
pub(super) mod revision;

pub(super) use body::{BodyReader, RequestBody};
