//! The settings for starting a kernel.

use super::endpoint::endpoint;
use crate::{
    AskHost, ProgramSettings, ServerSpec, Stores, features::registration::Reach, path::own_layers::OwnLayers,
};
use mgp_discovery::{config::Config, public_registry::Recommender};
use mgp_security::{
    access::{AccessControl, AccessPolicy},
    audit::{AuditSink, MemorySink},
    permission::Approver,
    validator::Validators,
};
use mgp_toolindex::{
    index::ToolIndexBuilder,
    tokens::{Cl100k, TokenCounter},
};
use mgp_transport::seam::Routes;
use mgp_types::access::AccessEntry;
use std::{path::PathBuf, sync::Arc};

/// The settings for starting a kernel: its configuration, and what a configuration cannot hold.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) config: Config,
    pub(crate) program: ProgramSettings,
    /// The servers of the program, after those of the configuration.
    pub(crate) servers: Vec<ServerSpec>,
    pub(crate) stores: Stores,
    pub(crate) state_folder: Option<PathBuf>,
    pub(crate) sink: Arc<dyn AuditSink>,
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
    pub(crate) counter: Arc<dyn TokenCounter>,
    pub(crate) index: ToolIndexBuilder,
    /// The registries that recommend servers, instead of those of the configuration.
    pub(crate) recommender: Option<Recommender>,
    pub(crate) reach: Reach,
}

/// The number of audit events that a kernel without an audit trail keeps in memory.
const EVENTS_IN_MEMORY: usize = 10_000;

impl Default for Settings {
    fn default() -> Self {
        Self {
            config: Config::default(),
            program: ProgramSettings::default(),
            servers: Vec::new(),
            stores: Stores::default(),
            state_folder: None,
            sink: Arc::new(MemorySink::new(EVENTS_IN_MEMORY)),
            access: None,
            granted: Vec::new(),
            policy: None,
            approver: Some(Arc::new(AskHost::new())),
            validators: Validators::standard(),
            own_layers: OwnLayers::default(),
            routes: Routes::new(),
            counter: Arc::new(Cl100k),
            index: ToolIndexBuilder::default(),
            recommender: None,
            reach: Reach::new(|registration| endpoint(&registration.server, None)),
        }
    }
}
