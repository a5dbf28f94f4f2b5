//! §11.4 Shutdown: a server's answer to `mgp/lifecycle/shutdown`, and its notice of a change of state.

mod methods;
mod notice;

pub use methods::{Owner, ShutdownMethod, ShutdownRequest, Stop, shutdown};
