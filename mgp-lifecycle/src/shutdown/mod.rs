//! §11.4 Shutdown: a server's answer to `mgp/lifecycle/shutdown`, and what it says about its state.

mod notice;
mod service;

pub use service::{ShutdownRequest, ShutdownService, Stop, shutdown};
