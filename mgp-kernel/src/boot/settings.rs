//! The settings for starting a kernel.

use super::endpoint::endpoint;
use crate::{
    AskHost, ParkedCalls, ServerSpec, Stores, features::registration::Reach, path::own_layers::OwnLayers,
    upstream::KernelFiles,
};
use mgp_discovery::{config::Config, public_registry::Recommender};
use mgp_security::{
    access::{AccessControl, AccessPolicy},
    audit::{AuditLog, AuditSink, MemorySink},
    permission::Approver,
    validator::Validators,
};
use mgp_toolindex::{
    index::ToolIndexBuilder,
    session::SessionBounds,
    tokens::{Cl100k, TokenCounter},
};
use mgp_transport::seam::Routes;
use mgp_types::access::AccessEntry;
use std::{sync::Arc, time::Duration};

/// The settings for starting a kernel: its configuration, and what a configuration cannot hold.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) config: Config,
    /// The name of the configuration, which operators are shown.
    pub(crate) configuration_name: Option<String>,
    /// The servers of the program, after those of the configuration.
    pub(crate) servers: Vec<ServerSpec>,
    pub(crate) stores: Stores,
    /// The kernel's own files, which confined servers may not use.
    pub(crate) kernel_files: KernelFiles,
    pub(crate) sink: Arc<dyn AuditSink>,
    pub(crate) audit_log: Option<AuditLog>,
    pub(crate) access: Option<AccessControl>,
    /// The rules that are added to the access control.
    pub(crate) granted: Vec<AccessEntry>,
    /// The policy that decides where no rule does, instead of the policy file of the configuration.
    pub(crate) policy: Option<Arc<dyn AccessPolicy>>,
    pub(crate) approver: Option<Arc<dyn Approver>>,
    pub(crate) validators: Validators,
    pub(crate) own_layers: OwnLayers,
    /// The program's own methods.
    pub(crate) routes: Routes,
    pub(crate) parked: ParkedCalls,
    pub(crate) counter: Arc<dyn TokenCounter>,
    pub(crate) tool_sessions: SessionBounds,
    pub(crate) index: ToolIndexBuilder,
    /// The registries that recommend servers, instead of those of the configuration.
    pub(crate) recommender: Option<Recommender>,
    pub(crate) reach: Reach,
    /// The text for hosts of an unconfigured kernel.
    pub(crate) unconfigured: Option<String>,
    /// The maximum time that a greeting waits for servers that start.
    pub(crate) greeting_wait: Duration,
    /// True if every server waits for a request that needs it, and none is started to list its tools.
    pub(crate) asleep: bool,
    /// True if the kernel lives as long as one command.
    pub(crate) single_command: bool,
    /// True if calls and events are counted, also if the configuration has no address for metrics.
    #[cfg(feature = "metrics")]
    pub(crate) metrics: bool,
}

/// The number of audit events that a kernel without an audit trail keeps in memory.
const EVENTS_IN_MEMORY: usize = 10_000;

impl Default for Settings {
    fn default() -> Self {
        Self {
            config: Config::default(),
            configuration_name: None,
            servers: Vec::new(),
            stores: Stores::default(),
            kernel_files: KernelFiles::default(),
            sink: Arc::new(MemorySink::new(EVENTS_IN_MEMORY)),
            audit_log: None,
            access: None,
            granted: Vec::new(),
            policy: None,
            approver: Some(Arc::new(AskHost::new())),
            validators: Validators::standard(),
            own_layers: OwnLayers::default(),
            routes: Routes::new(),
            parked: ParkedCalls::default(),
            counter: Arc::new(Cl100k),
            tool_sessions: SessionBounds::default(),
            index: ToolIndexBuilder::default(),
            recommender: None,
            reach: Reach::new(|registration| endpoint(&registration.server, None)),
            unconfigured: None,
            // A client that probes the era of a server gives up after a few seconds.
            greeting_wait: Duration::from_secs(2),
            asleep: false,
            single_command: false,
            #[cfg(feature = "metrics")]
            metrics: false,
        }
    }
}
