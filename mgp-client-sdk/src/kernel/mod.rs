//! The kernel: many servers, one pipeline, any host. It mediates between hosts and servers, and adds MGP's guarantees.

mod boot;
mod catalog;
mod exchange;
mod features;
mod ground;
mod host;
mod path;
mod rights;
mod upstream;

pub use boot::builder::{KernelBuilder, KernelError};
pub use boot::kernel::{JudgedTool, Kernel};
pub use boot::reload::ReloadError;
pub use catalog::tools::SuspectTool;
pub use catalog::unavailable::ClosedTools;
pub use features::registration::Registrar;
pub use ground::configuration_error::ConfigurationError;
pub use ground::state::{StateError, StateFolder};
pub use ground::trace::SPANS;
pub use host::{ArgumentsText, AskHost, HostFace, ParkedCalls, arguments_in_full, arguments_on_screen};
pub use mgp_discovery::config::ReferencesConfig;
pub use mgp_lifecycle::transaction::CompensationTemplate;
pub use mgp_security::command::command_word;
#[cfg(feature = "metrics")]
pub use path::metrics::METRICS_CONTENT_TYPE;
pub use path::refusal::RefusalsAsErrors;
pub use upstream::{Endpoint, Enforcement, InProcess, Server, ServerSpec, StateChange, StateChanges};

#[cfg(doctest)]
#[doc = include_str!("../../docs/kernel.md")]
struct Page;
