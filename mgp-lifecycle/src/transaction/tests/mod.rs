//! Tests of transactions.

mod bounds;
mod crashes;
mod dropped;
mod saga;
mod support;
