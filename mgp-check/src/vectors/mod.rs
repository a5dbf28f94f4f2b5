//! Recorded vectors: requests, and the answers that are allowed.

mod run;
mod vector;

pub use run::run_vectors;
pub use vector::{Vector, VectorError};
