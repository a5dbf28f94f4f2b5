//! Tests of the hub and its subscriptions.

mod bounds;
mod hub;
mod methods;
mod rig;
