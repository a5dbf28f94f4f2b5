//! Tests of calls with a key.

mod dropped;
mod layer;
mod stores;
mod support;
