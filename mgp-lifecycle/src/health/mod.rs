//! §11.3 Health: a server's report about itself, and the probe that asks for it.

mod check;
mod methods;
mod monitor;
mod probe;
mod report;

pub use check::{HealthCheck, Weight};
pub use monitor::{DownReason, monitor};
pub use probe::{HealthProbe, ProbeMethod, Verdict};
pub use report::{Health, ToolCounts};
