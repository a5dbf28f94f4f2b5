//! Starts our own programs.

mod balancer;
mod program;
mod service;

pub(crate) use balancer::Balancer;
pub(crate) use program::Program;
pub(crate) use service::{Announcement, Service};
