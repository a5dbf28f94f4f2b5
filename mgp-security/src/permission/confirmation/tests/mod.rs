//! Tests of §4.4: the gate, the questions that stay open, the store.

mod answers;
mod bounds;
mod gate;
mod rig;
mod stores;
