//! Our own programs, and how they are started.

mod program;
mod service;

pub(crate) use program::Program;
pub(crate) use service::{Announcement, Service};
