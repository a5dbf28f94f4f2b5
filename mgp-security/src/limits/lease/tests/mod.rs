//! Tests of limits that several kernels hold together, with one clock for the kernels and their store.

mod load;
mod outages;
mod passing;
mod store;
mod support;
