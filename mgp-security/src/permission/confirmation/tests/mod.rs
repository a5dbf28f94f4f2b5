//! Tests of §4.4: the gate, the questions that stay open, the store.

mod answers;
mod at_once;
mod bounds;
mod doubts;
mod every_time;
mod for_server;
mod foresee;
mod gate;
mod patterns;
mod rig;
mod room;
#[cfg(feature = "sqlite")]
mod sessions;
mod stores;
#[cfg(feature = "sqlite")]
mod unreadable;
