//! Tokens as they come: out of the header, and apart.

mod algorithm;
mod bearer;
mod jws;

pub(super) use algorithm::Check;
pub(super) use bearer::bearer;
pub(super) use jws::{Jws, decode};
