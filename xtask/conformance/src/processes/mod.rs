//! Our own programs: building and starting them.

mod program;
mod service;

pub(crate) use program::{Program, build};
pub(crate) use service::{Announcement, Service};
