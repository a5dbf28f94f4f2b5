//! Tests of transactions.

mod bounds;
mod crash_states;
mod crashes;
mod dropped;
mod keys;
mod migration;
mod saga;
mod support;
