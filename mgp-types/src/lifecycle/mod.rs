//! §11 Lifecycle: states, health, shutdown, restart; and a kernel's report for its operator.

mod console;
mod control;
mod health;
mod kernel;
mod reload;
mod restart;
mod shutdown;
mod state;
mod traffic;

pub use console::{OpenConsole, OpenConsoleParams, OpenConsoleResult, OperatorRole};
pub use control::{ControlServer, ControlServerParams, ControlServerResult, ServerAction};
pub use health::{
    CheckHealth, HealthPing, HealthPingParams, HealthPingResult, HealthStatus, HealthStatusResult,
};
pub use kernel::{
    ClosedToolsReport, HostReport, KernelStatus, KernelStatusParams, RegistrationReport, ReportKernel,
    ServerNotice, ServerReport, ToolLatencyReport,
};
pub use reload::{ConfigurationChange, ReloadConfiguration};
pub use restart::{RestartConfig, RestartPolicy};
pub use shutdown::{Shutdown, ShutdownParams, ShutdownReason, ShutdownResult};
pub use state::{LifecycleChange, LifecycleParams, ServerState};
pub use traffic::{CallCounts, ServerTraffic, TrafficReport};
