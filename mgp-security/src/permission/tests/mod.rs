//! Tests of §3: the gate, the decisions, the questions, the stores.

mod at_once;
mod decisions;
mod expiry;
mod foresee;
mod gate;
mod notices;
mod policies;
mod questions;
mod rig;
mod stores;
mod traced;
