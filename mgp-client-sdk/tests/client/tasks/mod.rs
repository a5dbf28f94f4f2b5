//! Tools that run as tasks.

mod begin;
mod life;
mod questions;
mod support;
mod waiting;
