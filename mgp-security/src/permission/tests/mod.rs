//! Tests of §3: the gate, the decisions, the questions, the stores.

mod decisions;
mod expiry;
mod gate;
mod questions;
mod rig;
mod stores;
mod traced;
