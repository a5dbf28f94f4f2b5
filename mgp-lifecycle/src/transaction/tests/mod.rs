//! Tests of transactions.

mod crashes;
mod saga;
mod support;
