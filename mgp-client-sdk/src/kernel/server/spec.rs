//! What the operator says of a server.

use super::Endpoint;
use mgp_security::profile::{ConfiguredTool, Confirmation};
use mgp_types::{
    access::DefaultPolicy, context::TrustLevel, lifecycle::RestartConfig, permission::Permission,
    tool_security::ValidatorName,
};
use std::{collections::BTreeMap, time::Duration};

/// What the operator says of a server.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServerSpec {
    /// The id by which grants, calls and the audit name it.
    pub id: String,
    /// How it is reached.
    pub endpoint: Endpoint,
    /// How far it is trusted. A server's own claim can only lower it.
    pub trust: TrustLevel,
    /// The permissions that all of its tools need, whatever it declares.
    pub permissions: Vec<Permission>,
    /// The permissions that are approved by the configuration, by name.
    pub approved: Vec<String>,
    /// The validator of every tool that has none of its own in `validators`.
    pub validator: Option<ValidatorName>,
    /// The validators of single tools.
    pub validators: BTreeMap<String, ValidatorName>,
    /// When somebody is asked before a call; by the tool's own risk where absent.
    pub confirmation: Option<Confirmation>,
    /// What holds for an agent that nothing was granted for.
    pub default_policy: DefaultPolicy,
    /// Tools that hosts are always shown, by the server's own names.
    pub pinned: Vec<String>,
    /// When it is started again after it ended.
    pub restart: RestartConfig,
    /// How long one call may take.
    pub call_time_limit: Duration,
    /// How long it may take to start and to answer the handshake.
    pub startup_time_limit: Duration,
    /// How long it may take to stop.
    pub shutdown_time_limit: Duration,
    /// How many calls it gets at once.
    pub max_concurrent: usize,
    /// How many tools it may list.
    pub max_tools: usize,
    /// How long to wait between two questions after its health.
    pub health_pause: Duration,
}

impl ServerSpec {
    /// A server of the operator's own configuration, with every setting at its default.
    #[must_use]
    pub fn new(id: impl Into<String>, endpoint: Endpoint) -> Self {
        Self {
            id: id.into(),
            endpoint,
            trust: TrustLevel::Standard,
            permissions: Vec::new(),
            approved: Vec::new(),
            validator: None,
            validators: BTreeMap::new(),
            confirmation: None,
            default_policy: DefaultPolicy::OptIn,
            pinned: Vec::new(),
            restart: RestartConfig::default(),
            call_time_limit: Duration::from_secs(60),
            startup_time_limit: Duration::from_secs(30),
            shutdown_time_limit: Duration::from_secs(5),
            max_concurrent: 64,
            max_tools: 10_000,
            health_pause: Duration::from_secs(15),
        }
    }

    /// What the configuration says of one tool.
    pub(crate) fn configured(&self, tool_name: &str) -> ConfiguredTool {
        ConfiguredTool {
            permissions: self.permissions.clone(),
            validator: self.validators.get(tool_name).or(self.validator.as_ref()).cloned(),
            confirmation: self.confirmation,
            pointers: Vec::new(),
        }
    }
}
