//! The kernel: many servers, one pipeline, any host. It mediates between hosts and servers, and adds MGP's guarantees.

mod announce;
mod argument_check;
mod attest;
mod audit_forwarding;
mod builder;
mod changes;
mod completion;
mod configured;
mod core;
#[cfg(feature = "child")]
mod creation;
#[cfg(feature = "http")]
mod denials;
mod dispatch;
mod dry_run;
mod estimates;
mod events;
mod fallback;
mod forward;
mod grant_limits;
mod greeting;
mod health;
mod host;
mod instructions;
#[expect(clippy::module_inception, reason = "the handle on the kernel is named for what it is")]
mod kernel;
mod list_tools;
mod listings;
mod manifest;
mod methods;
#[cfg(feature = "metrics")]
mod metrics;
mod notices;
mod openapi;
mod operator;
mod own_layers;
mod page;
mod pin_later;
mod pipeline;
mod prompts;
mod quotas;
mod references;
mod refusal;
mod registration;
mod reload;
mod resend;
mod resolve;
mod resources;
mod result_check;
mod rights;
mod server;
mod servers;
mod session_states;
mod settings;
mod start;
mod state;
mod states;
mod stop_progress;
mod stopped;
mod tasks;
mod tool_index;
mod tools;
mod trace;
mod trail;
mod transactions;

pub use builder::{KernelBuilder, KernelError};
pub use configured::ConfigurationError;
pub use host::{ArgumentsText, AskHost, HostFace, ParkedCalls, arguments_in_full, arguments_on_screen};
pub use kernel::{JudgedTool, Kernel};
#[cfg(feature = "metrics")]
pub use metrics::METRICS_CONTENT_TYPE;
pub use mgp_discovery::config::ReferencesConfig;
pub use mgp_lifecycle::transaction::CompensationTemplate;
pub use mgp_security::command::command_word;
pub use refusal::RefusalsAsErrors;
pub use registration::Registrar;
pub use reload::ReloadError;
pub use server::{Endpoint, Enforcement, InProcess, Server, ServerSpec};
pub use state::{StateError, StateFolder};
pub use states::{StateChange, StateChanges};
pub use tool_index::ClosedTools;
pub use tools::SuspectTool;
pub use trace::SPANS;

#[cfg(doctest)]
#[doc = include_str!("../../docs/kernel.md")]
struct Page;
