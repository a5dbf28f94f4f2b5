//! What the operator says of a server.

use super::Endpoint;
use crate::handshake::{Era, EraChoice};
use mgp_discovery::config::{self, HostFeature, KernelConfig, ServerEra, ServerMgp};
use mgp_security::profile::{ConfiguredTool, Confirmation};
use mgp_types::{
    access::DefaultPolicy, context::TrustLevel, lifecycle::RestartConfig, negotiation::ExtensionSet,
    permission::Permission, tool_security::ValidatorName,
};
use std::{collections::BTreeMap, time::Duration};

/// How long to wait between two questions after a server's health.
const HEALTH_PAUSE: Duration = Duration::from_secs(15);

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
    /// The extensions that it is known to have, for lists before it is connected.
    pub extensions: ExtensionSet,
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
    /// What it may ask of hosts.
    pub host_features: Vec<HostFeature>,
    /// In which era of MCP it is spoken to.
    pub era: EraChoice,
    /// What holds for an agent that nothing was granted for.
    pub default_policy: DefaultPolicy,
    /// Tools that hosts are always shown, by the server's own names.
    pub pinned: Vec<String>,
    /// What its tools are filed under, beside what they say themselves (§16.4).
    pub categories: Vec<String>,
    /// Tools that may run twice without harm, by the server's own names.
    pub idempotent: Vec<String>,
    /// When it is started again after it ended.
    pub restart: RestartConfig,
    /// The time that one call may take; and, before it is sent, how long it may wait for its turn.
    pub call_time_limit: Duration,
    /// How long a host may take to answer what it asks. The time limit of the call stands still meanwhile.
    pub question_time_limit: Duration,
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
    /// A server of the operator's own configuration, with every setting at the default that `mgp.toml` has.
    #[must_use]
    pub fn new(id: impl Into<String>, endpoint: Endpoint) -> Self {
        Self::with_settings(id, endpoint, &ServerMgp::default(), &KernelConfig::default())
    }

    /// A server with the settings of a configuration.
    pub(in crate::kernel) fn with_settings(
        id: impl Into<String>,
        endpoint: Endpoint,
        settings: &ServerMgp,
        kernel: &KernelConfig,
    ) -> Self {
        Self {
            id: id.into(),
            endpoint,
            trust: settings.trust_level.unwrap_or(TrustLevel::Standard),
            extensions: ExtensionSet::from_spellings(&settings.extensions),
            permissions: settings.permissions(),
            approved: Vec::new(),
            validator: settings.validator.clone(),
            validators: settings.validators.clone(),
            confirmation: match settings.confirmation {
                config::Confirmation::Always => Some(Confirmation::Always),
                config::Confirmation::Never => Some(Confirmation::Never),
                config::Confirmation::Dangerous => None,
            },
            host_features: settings.host_features.clone(),
            era: match settings.era {
                ServerEra::Auto => EraChoice::AUTO,
                ServerEra::Initialize => EraChoice::Known(Era::Initialize),
                ServerEra::Stateless => EraChoice::Known(Era::Stateless),
            },
            default_policy: kernel.default_policy,
            pinned: settings.pinned.clone(),
            categories: settings.categories.clone(),
            idempotent: settings.idempotent.clone(),
            restart: settings.restart(),
            call_time_limit: Duration::from_millis(
                settings.call_timeout_ms.unwrap_or(kernel.call_timeout_ms),
            ),
            question_time_limit: Duration::from_millis(kernel.question_timeout_ms),
            startup_time_limit: Duration::from_millis(settings.startup_timeout_ms),
            shutdown_time_limit: Duration::from_millis(settings.shutdown_timeout_ms),
            max_concurrent: settings.max_concurrent,
            max_tools: kernel.limits.max_tools_per_server,
            health_pause: HEALTH_PAUSE,
        }
    }

    /// What the configuration says of one tool.
    pub(crate) fn configured(&self, tool_name: &str) -> ConfiguredTool {
        ConfiguredTool {
            permissions: self.permissions.clone(),
            validator: self.validators.get(tool_name).or(self.validator.as_ref()).cloned(),
            validator_of_server: !self.validators.contains_key(tool_name),
            confirmation: self.confirmation,
            pointers: Vec::new(),
        }
    }
}
