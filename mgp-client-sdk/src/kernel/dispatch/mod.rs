//! The innermost service of the pipeline: runs tools, and answers every other method.

mod service;
mod wait_inside;

pub(super) use service::Dispatch;
pub(super) use wait_inside::WaitInside;
