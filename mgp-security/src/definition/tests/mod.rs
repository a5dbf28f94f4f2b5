//! Tests of pins, their gate and their stores.

mod gate;
mod rig;
mod stores;
mod versions;
