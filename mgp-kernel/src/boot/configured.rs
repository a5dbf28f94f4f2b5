//! Configures a kernel from `mgp.toml`.

use super::{endpoint::endpoint, settings::Settings};
use crate::{ConfigurationError, Endpoint, ServerSpec};
use mgp_discovery::{
    config::{CallerLimit, Config, IdempotencyConfig, LimitsConfig, TargetLimit},
    public_registry::Recommender,
};
use mgp_lifecycle::idempotency::{EntryBounds, IdempotencySettings};
use mgp_security::{
    access::AccessPolicy,
    limits::{LimitRule, LimitedParty, quota::CostRule},
    permission::PermissionRules,
};
use mgp_types::{
    lifecycle::RestartPolicy,
    permission::{Permission, PermissionPolicy},
};
use std::{
    num::{NonZeroU32, NonZeroU64},
    path::Path,
    sync::Arc,
    time::Duration,
};

impl Settings {
    /// Applies a configuration. OAuth tokens are kept in the folder `tokens`, or in memory without a folder.
    pub(crate) fn configure(
        &mut self,
        config: &Config,
        tokens: Option<&Path>,
    ) -> Result<(), ConfigurationError> {
        let (kernel, permissions) = (&config.kernel, &config.permissions);
        for server in config.enabled() {
            let endpoint = match &server.fault {
                Some(fault) => Endpoint::Unusable(fault.clone()),
                // Unusable settings of a server only disable that server.
                None => match endpoint(server, tokens) {
                    // A feature that this build lacks is not an error in the server's settings.
                    Err(error @ ConfigurationError::Transport { .. }) => return Err(error),
                    endpoint => endpoint.unwrap_or_else(|error| Endpoint::Unusable(error.to_string())),
                },
            };
            let is_unusable = matches!(endpoint, Endpoint::Unusable(_));
            let mut spec = ServerSpec::with_settings(&*server.id, endpoint, &server.settings(), kernel);
            if is_unusable {
                // Only another configuration can fix this, so one attempt is made, to report the reason.
                (spec.lazy, spec.idle_timeout, spec.shared) = (false, None, false);
                spec.restart.restart_policy = RestartPolicy::Never;
            }
            #[cfg(feature = "child")]
            if let Some(confinement) = &server.confinement {
                spec.confinement = crate::upstream::confinement_settings(confinement);
            }
            spec.default_policy = config.default_policy(server);
            spec.approved = permissions.approved.get(&server.id).cloned().unwrap_or_default();
            self.servers.push(spec);
        }
        // A server that is left out keeps its id, because its grants are in the same file.
        self.configured.extend(config.servers.iter().map(|server| server.id.clone()));
        let mut rules = PermissionRules::new(permissions.policy.unwrap_or(PermissionPolicy::Interactive));
        for name in &permissions.exceptions {
            let exceptions =
                Permission::expand(name).map_err(|error| ConfigurationError::Exception(error.to_string()))?;
            rules = exceptions.into_iter().fold(rules, PermissionRules::except);
        }
        self.rules = rules;
        self.approval_wait = Duration::from_millis(permissions.wait_ms);
        self.decision_timeout = Duration::from_secs(permissions.decision_timeout_secs);
        self.grant_lifetime = permissions.grant_lifetime_secs.map(Duration::from_secs);
        self.conceal = config.access.conceal.or(self.conceal);
        if let Some(file) = &config.access.policy_file {
            self.policy = Some(policy_file(Path::new(file.value()))?);
        }
        self.registrars = config.access.registrars.iter().cloned().collect();
        self.tool_creation = config.tool_creation.clone();
        if cfg!(not(feature = "child")) && !self.tool_creation.agents.is_empty() {
            return Err(ConfigurationError::ToolCreation);
        }
        self.recommender = recommender(&config.discovery.recommend)?;
        self.exposure = kernel.exposure;
        self.pinned.extend(kernel.pinned.iter().cloned());
        self.first_start_limit = Duration::from_millis(kernel.start_wait_ms);
        self.parked.lifetime = Duration::from_millis(kernel.question_timeout_ms);
        self.budget = kernel.tool_context_budget;
        self.search_results = kernel.search_results;
        self.instructions.tokens = kernel.instructions_tokens;
        self.instructions.own = kernel.instructions.clone().or(self.instructions.own.take());
        self.refusals = kernel.refusals;
        let validation = Duration::from_millis(kernel.validation_timeout_ms);
        self.validators = std::mem::take(&mut self.validators).timeout(validation);
        self.audit_before = config.audit.before;
        self.audit_server = config.audit.server.clone();
        self.max_concurrent = kernel.limits.max_concurrent_calls;
        self.agents.push(kernel.agent.clone());
        self.references.bounds = config.references.clone();
        self.references.results = config.results;
        self.idempotency = idempotency(&config.idempotency);
        self.transactions = kernel.transactions;
        self.checks_arguments = kernel.check_arguments;
        self.roles = std::mem::take(&mut self.roles).and(config.roles());
        self.limits.extend(limits(&config.limits));
        self.costs.extend(config.limits.costs.iter().filter_map(|(name, units)| {
            let (server, tool) = LimitsConfig::tool(name)?;
            Some(CostRule { server: server.into(), tool: tool.into(), units: *units })
        }));
        self.settings = kernel.clone();
        match &config.telemetry {
            telemetry if telemetry.metrics.is_some() => self.count(telemetry.metrics_tools),
            _ => Ok(()),
        }
    }

    /// Enables the counting of calls and events.
    #[cfg(feature = "metrics")]
    #[expect(clippy::unnecessary_wraps, reason = "without the feature it fails")]
    fn count(&mut self, tools: usize) -> Result<(), ConfigurationError> {
        self.metrics = Some(tools);
        Ok(())
    }

    #[cfg(not(feature = "metrics"))]
    fn count(&mut self, _: usize) -> Result<(), ConfigurationError> {
        let reason = "telemetry.metrics needs the feature `metrics`, which this build does not have";
        Err(ConfigurationError::Telemetry(reason))
    }
}

/// Returns the rules of `[limits]`.
fn limits(config: &LimitsConfig) -> Vec<LimitRule> {
    let rule =
        |party, per_minute: Option<NonZeroU32>, burst: Option<NonZeroU32>, per_day: Option<NonZeroU64>| {
            let rule = per_minute.into_iter().fold(LimitRule::new(party), LimitRule::per_minute);
            let rule = burst.into_iter().fold(rule, LimitRule::burst);
            per_day.into_iter().fold(rule, LimitRule::per_day)
        };
    let of_caller =
        |party, limit: &CallerLimit| rule(party, limit.requests_per_minute, limit.burst, limit.units_per_day);
    let of_target = |party, limit: &TargetLimit| {
        let rule = rule(party, limit.requests_per_minute, limit.burst, limit.units_per_day);
        if limit.per_agent { rule.per_agent() } else { rule }
    };
    let agents =
        config.agents.iter().map(|(id, limit)| of_caller(LimitedParty::Agent((&**id).into()), limit));
    let keys = config.keys.iter().map(|(name, limit)| of_caller(LimitedParty::Key((&**name).into()), limit));
    let servers =
        config.servers.iter().map(|(id, limit)| of_target(LimitedParty::Server((&**id).into()), limit));
    let tools = config.tools.iter().filter_map(|(name, limit)| {
        let (server, tool) = LimitsConfig::tool(name)?;
        Some(of_target(LimitedParty::Tool { server: server.into(), tool: tool.into() }, limit))
    });
    agents.chain(keys).chain(servers).chain(tools).collect()
}

fn idempotency(config: &IdempotencyConfig) -> IdempotencySettings {
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
    fn a_wrong_exception_is_reported_with_its_position() {
        let mut config = Config::default();
        config.permissions.exceptions.push("teleport".into());
        let error = KernelBuilder::default().configure(&config).unwrap_err().to_string();
        assert!(error.starts_with("permissions.exceptions: ") && error.contains("teleport"), "{error}");
    }
}
