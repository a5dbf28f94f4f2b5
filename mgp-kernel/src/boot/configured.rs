//! Derives the parts of a kernel from its configuration.

use super::{
    endpoint::{CredentialSources, endpoint},
    limit_rules::{costs, limit_rules},
};
use crate::{ConfigurationError, Endpoint, ServerSpec};
use mgp_discovery::{
    config::{Config, IdempotencyConfig, PermissionsConfig, ServerConfig},
    public_registry::Recommender,
};
use mgp_lifecycle::idempotency::{EntryBounds, IdempotencySettings};
use mgp_security::{
    access::AccessPolicy,
    limits::{LimitRule, quota::CostRule},
    permission::PermissionRules,
};
use mgp_types::{
    lifecycle::RestartPolicy,
    permission::{Permission, PermissionPolicy},
};
use std::{collections::BTreeSet, path::Path, sync::Arc, time::Duration};

/// The parts of a kernel that are derived from its configuration.
#[derive(Debug)]
pub(super) struct ConfiguredParts {
    /// The servers of the configuration, and then those of the program.
    pub(super) servers: Vec<ServerSpec>,
    /// The ids of these servers, and of servers that are left out.
    pub(super) ids: BTreeSet<String>,
    pub(super) rules: PermissionRules,
    pub(super) limits: Vec<LimitRule>,
    pub(super) costs: Vec<CostRule>,
    pub(super) policy: Option<Arc<dyn AccessPolicy>>,
    pub(super) recommender: Option<Recommender>,
}

impl ConfiguredParts {
    /// Derives the parts from a configuration that is completed by the servers of the program.
    pub(super) fn new(
        config: &Config,
        program: &[ServerSpec],
        credentials: &CredentialSources,
    ) -> Result<Self, ConfigurationError> {
        check_features(config)?;
        let servers: Result<Vec<_>, _> =
            config.enabled().map(|server| server_spec(config, server, credentials)).collect();
        let mut servers = servers?;
        servers.extend(program.iter().cloned());
        // A server that is left out keeps its id, because its grants are in the same file.
        let ids = config.servers.iter().map(|server| &server.id);
        Ok(Self {
            ids: ids.chain(servers.iter().map(|server| &server.id)).cloned().collect(),
            servers,
            rules: rules(&config.permissions, program)?,
            limits: limit_rules(&config.limits),
            costs: costs(&config.limits),
            policy: match &config.access.policy_file {
                Some(file) => Some(policy_file(Path::new(file.value()))?),
                None => None,
            },
            recommender: recommender(&config.discovery.recommend)?,
        })
    }
}

/// Checks the values of a configuration that is completed by the servers of the program.
pub(super) fn check(config: &Config, program: &[ServerSpec]) -> Result<(), ConfigurationError> {
    let program: Vec<_> = program.iter().map(|server| &*server.id).collect();
    config.check(&program).map_err(ConfigurationError::Value)
}

/// Returns an error if the configuration needs a feature that this build lacks.
fn check_features(config: &Config) -> Result<(), ConfigurationError> {
    if cfg!(not(feature = "child")) && !config.tool_creation.agents.is_empty() {
        return Err(ConfigurationError::ToolCreation);
    }
    if cfg!(not(feature = "metrics")) && config.telemetry.metrics.is_some() {
        let reason = "telemetry.metrics needs the feature `metrics`, which this build does not have";
        return Err(ConfigurationError::Telemetry(reason));
    }
    Ok(())
}

/// Returns the spec of a server of a configuration.
fn server_spec(
    config: &Config,
    server: &ServerConfig,
    credentials: &CredentialSources,
) -> Result<ServerSpec, ConfigurationError> {
    let endpoint = match &server.fault {
        Some(fault) => Endpoint::Unusable(fault.clone()),
        // Unusable settings of a server only disable that server.
        None => match endpoint(server, credentials.tokens.as_deref()) {
            // A feature that this build lacks is not an error in the server's settings.
            Err(error @ ConfigurationError::Transport { .. }) => return Err(error),
            endpoint => endpoint.unwrap_or_else(|error| Endpoint::Unusable(error.to_string())),
        },
    };
    let is_unusable = matches!(endpoint, Endpoint::Unusable(_));
    let mut spec = ServerSpec::with_settings(&*server.id, endpoint, &server.settings(), &config.kernel);
    if is_unusable {
        // Only another configuration can fix this, so one attempt is made, to report the reason.
        (spec.lazy, spec.idle_timeout) = (false, None);
        spec.restart.restart_policy = RestartPolicy::Never;
    } else {
        spec.endpoint_at_start = credentials.at_start(server);
    }
    #[cfg(feature = "child")]
    if let Some(confinement) = &server.confinement {
        spec.confinement = crate::upstream::confinement_settings(confinement);
    }
    spec.shapes = server.tools.as_slice().into();
    spec.default_policy = config.default_policy(server);
    Ok(spec)
}

/// Returns the rules of `[permissions]`, and the approvals of the program's servers.
fn rules(config: &PermissionsConfig, program: &[ServerSpec]) -> Result<PermissionRules, ConfigurationError> {
    let mut rules = PermissionRules::new(config.policy.unwrap_or(PermissionPolicy::Interactive));
    for name in &config.exceptions {
        let exceptions = Permission::expand(name)
            .map_err(|error| ConfigurationError::Value(format!("permissions.exceptions: {error}")))?;
        rules = exceptions.into_iter().fold(rules, PermissionRules::except);
    }
    let configured = config.approved.iter();
    for (id, names) in configured.chain(program.iter().map(|server| (&server.id, &server.approved))) {
        for name in names {
            let permissions = Permission::expand(name).map_err(|error| ConfigurationError::Server {
                server: id.clone(),
                reason: error.to_string(),
            })?;
            rules = permissions.into_iter().fold(rules, |rules, permission| rules.approve(id, permission));
        }
    }
    Ok(rules)
}

/// Returns the settings of `[idempotency]`.
pub(super) fn idempotency(config: &IdempotencyConfig) -> IdempotencySettings {
    IdempotencySettings {
        ttl: Duration::from_secs(config.ttl_secs),
        max_ttl: Duration::from_secs(config.max_ttl_secs),
        wait: Duration::from_millis(config.wait_ms),
        bounds: EntryBounds {
            entries: config.max_keys,
            answer_bytes: config.max_answer_bytes,
            all_bytes: config.max_bytes,
        },
    }
}

#[cfg(feature = "cedar")]
fn policy_file(path: &Path) -> Result<Arc<dyn AccessPolicy>, ConfigurationError> {
    let policies = mgp_security::access::CedarPolicies::read(path);
    Ok(Arc::new(policies.map_err(|error| ConfigurationError::PolicyFile(error.to_string()))?))
}

#[cfg(not(feature = "cedar"))]
fn policy_file(path: &Path) -> Result<Arc<dyn AccessPolicy>, ConfigurationError> {
    let reason = format!("{} needs the feature `cedar`, which this build does not have", path.display());
    Err(ConfigurationError::PolicyFile(reason))
}

/// Returns the recommender over some registries; `None` if there are none.
fn recommender(registries: &[String]) -> Result<Option<Recommender>, ConfigurationError> {
    if registries.is_empty() {
        return Ok(None);
    }
    #[cfg(feature = "http")]
    {
        use mgp_discovery::public_registry::PublicRegistry;
        use mgp_transport::{http::fetch::HttpFetch, seam::Fetch};
        /// The time limit of one response of a registry.
        const TIMEOUT: Duration = Duration::from_secs(5);
        let wrong = |error: &dyn std::fmt::Display| ConfigurationError::Recommend(error.to_string());
        let fetch = HttpFetch::new(TIMEOUT).map_err(|error| wrong(&error))?;
        let fetch: Arc<dyn Fetch> = Arc::new(fetch);
        let registries = registries.iter().map(|url| PublicRegistry::new(url, fetch.clone()));
        let registries = registries.collect::<Result<Vec<_>, _>>().map_err(|error| wrong(&error))?;
        Ok(Some(Recommender::new(registries)))
    }
    #[cfg(not(feature = "http"))]
    Err(ConfigurationError::Recommend(
        "it needs the feature `http`, which this build does not have".to_owned(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{InProcess, KernelBuilder};
    use mgp_discovery::config::{KernelConfig, ServerMgp};

    #[test]
    fn a_server_without_settings_has_the_documented_defaults() {
        let endpoint = || Endpoint::InProcess(InProcess::new(|| mgp_transport::memory::pair().0));
        let mut bare = ServerSpec::new("a", endpoint());
        let (settings, kernel) = (ServerMgp::default(), KernelConfig::default());
        let empty = ServerSpec::with_settings("a", endpoint(), &settings, &kernel);
        // The time limits come from the program there, and from tables of the file here.
        bare.limit_keys = empty.limit_keys;
        assert_eq!(format!("{bare:?}"), format!("{empty:?}"));
        assert_eq!(bare.startup_timeout, Duration::from_millis(kernel.startup_timeout_ms));
        assert_eq!(bare.max_concurrent, settings.max_concurrent);
    }

    #[test]
    fn keys_have_documented_defaults_without_a_configuration() {
        assert_eq!(idempotency(&IdempotencyConfig::default()), IdempotencySettings::default());
    }

    #[test]
    fn a_wrong_permission_is_reported_with_its_position() {
        let mut config = Config::default();
        config.permissions.exceptions.push("teleport".into());
        let error = KernelBuilder::default().configure(&config).unwrap_err().to_string();
        assert!(error.starts_with("permissions.exceptions: ") && error.contains("teleport"), "{error}");
    }
}
