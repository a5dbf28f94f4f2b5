//! Proofs of possession of the key that a token is bound to (RFC 9449).

mod check;
mod thumbprint;
mod used;

pub(super) use check::{ProofCheck, algorithms};
pub(super) use used::UsedProofs;
