//! Tests of calls with a key.

mod dropped;
mod foresee;
mod layer;
mod stores;
mod support;
