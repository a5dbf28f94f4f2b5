//! §11.4 Shutdown: a server's answer to `mgp/lifecycle/shutdown`, and what it says about its state.

mod methods;
mod notice;

pub use methods::{Owner, ShutdownRequest, ShutdownService, Stop, shutdown};
