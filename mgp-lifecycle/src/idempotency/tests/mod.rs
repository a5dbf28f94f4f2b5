//! Tests of calls with a key.

mod dropped;
mod entries;
mod first_caller;
mod foresee;
mod layer;
mod processes;
mod stores;
mod support;
mod unstored;
