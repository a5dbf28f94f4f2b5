//! A kernel as `mgp.toml` describes it.

use super::{Endpoint, KernelBuilder, ServerSpec};
use mgp_discovery::config::{self, Config, KernelConfig, ServerConfig, Text, Transport};
use mgp_security::{permission::PermissionRules, profile::Confirmation};
use mgp_toolindex::exposure::Exposure;
use mgp_types::{
    context::TrustLevel,
    permission::{Permission, PermissionPolicy},
};
use std::time::Duration;

/// Why a configuration cannot be carried out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigurationError {
    /// A server is reached in a way that this build does not have.
    #[error("server {server:?} needs the transport {transport}, which this build does not have")]
    Transport {
        /// The server.
        server: String,
        /// The transport.
        transport: &'static str,
    },
    /// A value cannot be used.
    #[error("server {server:?}: {reason}")]
    Value {
        /// The server.
        server: String,
        /// What is wrong.
        reason: String,
    },
}

impl KernelBuilder {
    /// Adds what a configuration says: servers, exposure, permissions. Where state is kept, who is asked and who calls is
    /// set beside it.
    ///
    /// # Errors
    /// [`ConfigurationError`].
    pub fn configure(mut self, config: &Config) -> Result<Self, ConfigurationError> {
        for server in config.servers.iter().filter(|server| !server.disabled) {
            let mut spec = spec(server, &config.kernel)?;
            spec.approved = config.permissions.approved.get(&server.id).cloned().unwrap_or_default();
            self = self.server(spec);
        }
        let mut rules =
            PermissionRules::new(config.permissions.policy.unwrap_or(PermissionPolicy::Interactive));
        for name in &config.permissions.exceptions {
            let permissions = Permission::expand(name).map_err(|error| ConfigurationError::Value {
                server: String::new(),
                reason: error.to_string(),
            })?;
            rules = permissions.into_iter().fold(rules, PermissionRules::except);
        }
        Ok(self
            .permission_rules(rules)
            .decision_time_limit(Duration::from_secs(config.permissions.decision_timeout_secs))
            .exposure(match config.kernel.exposure {
                config::Exposure::Full => Exposure::Full,
                config::Exposure::Hybrid => Exposure::Hybrid,
                config::Exposure::Discovery => Exposure::Discovery,
            })
            .pinned(config.kernel.pinned.iter().cloned())
            .search_results(config.kernel.search_results)
            .max_concurrent(config.kernel.limits.max_concurrent_calls)
            .agent(&*config.kernel.agent))
    }
}

fn spec(server: &ServerConfig, kernel: &KernelConfig) -> Result<ServerSpec, ConfigurationError> {
    let mut spec = ServerSpec::new(&*server.id, endpoint(server)?);
    spec.default_policy = server.default_policy.unwrap_or(kernel.default_policy);
    spec.max_tools = kernel.limits.max_tools_per_server;
    spec.call_time_limit = Duration::from_millis(kernel.call_timeout_ms);
    let Some(mgp) = &server.mgp else { return Ok(spec) };
    spec.trust = mgp.trust_level.unwrap_or(TrustLevel::Standard);
    spec.permissions = mgp.permissions();
    spec.validator = mgp.validator.clone();
    spec.validators = mgp.validators.clone();
    spec.confirmation = match mgp.confirmation {
        config::Confirmation::Always => Some(Confirmation::Always),
        config::Confirmation::Never => Some(Confirmation::Never),
        _ => None,
    };
    spec.pinned = mgp.pinned.clone();
    spec.restart = mgp.restart();
    if let Some(limit) = mgp.call_timeout_ms {
        spec.call_time_limit = Duration::from_millis(limit);
    }
    spec.startup_time_limit = Duration::from_millis(mgp.startup_timeout_ms);
    spec.shutdown_time_limit = Duration::from_millis(mgp.shutdown_timeout_ms);
    spec.max_concurrent = mgp.max_concurrent;
    Ok(spec)
}

fn endpoint(server: &ServerConfig) -> Result<Endpoint, ConfigurationError> {
    match server.transport() {
        Transport::Stdio => child(server),
        Transport::Http => http(server),
    }
}

#[cfg(feature = "child")]
fn child(server: &ServerConfig) -> Result<Endpoint, ConfigurationError> {
    let program = server.command.as_ref().map_or("", |command| command.value());
    let mut command = mgp_transport::child::ChildCommand::new(&server.id, program)
        .args(server.args.iter().map(Text::value));
    for (name, value) in &server.env {
        command = command.env(name, value.reveal());
    }
    if let Some(folder) = &server.cwd {
        command = command.cwd(folder.value());
    }
    Ok(Endpoint::Child(command))
}

#[cfg(not(feature = "child"))]
fn child(server: &ServerConfig) -> Result<Endpoint, ConfigurationError> {
    Err(ConfigurationError::Transport { server: server.id.clone(), transport: "stdio" })
}

#[cfg(feature = "http")]
fn http(server: &ServerConfig) -> Result<Endpoint, ConfigurationError> {
    use http::{HeaderName, HeaderValue};
    let wrong = |what: &str, name: &str| ConfigurationError::Value {
        server: server.id.clone(),
        reason: format!("invalid {what} {name:?}: it cannot stand in an HTTP header"),
    };
    let mut config = mgp_transport::http::client::HttpClientConfig::default();
    let mut set = |name: &str, value: &str| {
        let header = HeaderName::try_from(name).map_err(|_| wrong("name of the header", name))?;
        let mut value = HeaderValue::try_from(value).map_err(|_| wrong("value of the header", name))?;
        value.set_sensitive(true);
        config.headers.insert(header, value);
        Ok(())
    };
    for (name, value) in &server.headers {
        set(name, value.reveal())?;
    }
    if let Some(auth) = &server.auth {
        if let Some(key) = &auth.api_key {
            set(auth.header.as_deref().unwrap_or("x-api-key"), key.reveal())?;
        }
        config.bearer = auth.bearer.as_ref().map(|bearer| bearer.reveal().to_owned());
    }
    let url = server.url.as_ref().map_or("", |url| url.value()).to_owned();
    Ok(Endpoint::Http { url, config })
}

#[cfg(not(feature = "http"))]
fn http(server: &ServerConfig) -> Result<Endpoint, ConfigurationError> {
    Err(ConfigurationError::Transport { server: server.id.clone(), transport: "http" })
}
