//! Secrets in texts, and in the results of servers.

mod bounds;
mod corpora;
mod layer;
mod rig;
