//! Our own programs: how they are built and started.

mod program;
mod service;

pub(crate) use program::{Program, build};
pub(crate) use service::{Announced, Service};
