//! Tests of transactions.

mod bounds;
mod crash_states;
mod crashes;
mod dropped;
mod foresee;
mod keys;
mod lost_ends;
mod migration;
mod processes;
mod saga;
mod support;
mod tasks;
