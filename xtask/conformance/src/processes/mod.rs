//! Starts our own programs.

mod program;
mod service;

pub(crate) use program::Program;
pub(crate) use service::{Announcement, Service};
