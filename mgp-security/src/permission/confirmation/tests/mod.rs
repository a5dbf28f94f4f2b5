//! Tests of §4.4: the gate, the questions that stay open, the store.

mod answers;
mod bounds;
mod doubts;
mod every_time;
mod gate;
mod rig;
mod room;
mod stores;
#[cfg(feature = "sqlite")]
mod unreadable;
