//! Secrets in texts, and in what servers return.

mod bounds;
mod corpora;
mod layer;
mod rig;
