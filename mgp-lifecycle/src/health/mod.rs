//! §11.3 Health: what a server answers about itself, and how it is asked.

mod check;
mod monitor;
mod probe;
mod report;
mod service;

pub use check::{HealthCheck, Weight};
pub use monitor::{Down, monitor};
pub use probe::{HealthProbe, ProbeMethod, Verdict};
pub use report::{Health, ToolCounts};
pub use service::{HealthFuture, HealthService};
