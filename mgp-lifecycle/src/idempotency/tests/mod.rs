//! Tests of calls with a key.

mod layer;
mod stores;
mod support;
