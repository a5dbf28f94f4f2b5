//! Recorded vectors: requests, and the answers that they allow.

mod run;
mod vector;

pub use run::run_vectors;
pub use vector::{Vector, VectorError};
