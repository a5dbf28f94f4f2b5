//! Takes tokens out of the header, and splits them into their parts.

mod algorithm;
mod bearer;
mod jws;

pub(super) use algorithm::Check;
pub(super) use bearer::presented;
pub(super) use jws::{Jws, PROOF_TYPES, decode};
