//! §11 Lifecycle: states, health, shutdown, restart.

mod health;
mod restart;
mod shutdown;
mod state;

pub use health::{
    CheckHealth, HealthPing, HealthPingParams, HealthPingResult, HealthStatus, HealthStatusResult,
};
pub use restart::{RestartConfig, RestartPolicy};
pub use shutdown::{Shutdown, ShutdownParams, ShutdownReason, ShutdownResult};
pub use state::{LifecycleChange, LifecycleParams, ServerState};
