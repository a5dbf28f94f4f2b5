//! The setup of every command.

use super::{
    config::{ConfigSearch, LoadedConfig, environment, find, kernel_files, state_folder, untrusted},
    unconfigured::{DEMO_FOLDER, UnconfiguredState},
};
use crate::{
    embedded,
    error::CliError,
    exit::Exit,
    options::{Options, is_agent_name},
    output::note,
    own_kernel::own_kernel,
    secrets::AccountSecrets,
};
use mgp_discovery::{
    config::{AuditJournal, KernelConfig, Limits, Synchronous, Text},
    locate::Environment,
    registration::{Registrars, Registrations},
};
use mgp_kernel::{Registrar, ServerSpec, StateFolder};
use mgp_security::{
    audit::{AuditLog, AuditLogConfig, AuditReader, AuditRetention, Durability, JournalMode},
    definition::Definitions,
    permission::{Confirmations, PermissionRules, Permissions},
};
use mgp_store::sqlite::set_lock_timeout;
use mgp_types::{
    access::{DefaultPolicy, Roles},
    context::Principal,
    permission::PermissionPolicy,
};
use std::{path::PathBuf, sync::Arc, time::Duration};

/// The configuration, if there is one, the state, and the calling agent.
#[derive(Debug)]
pub(crate) struct Setup {
    pub(crate) loaded: Option<LoadedConfig>,
    /// The servers used without a configuration.
    pub(super) unconfigured: UnconfiguredState,
    pub(crate) state: StateFolder,
    /// The configurations and the record of trusted projects. No confined server may use them.
    pub(crate) kernel_files: Vec<PathBuf>,
    pub(crate) agent: String,
    pub(crate) secrets: AccountSecrets,
}

impl Setup {
    /// Loads the setup of a command that starts servers. A file that is not trusted is an error.
    pub(crate) async fn load(options: &Options) -> Result<Self, CliError> {
        let environment = environment(options)?;
        match find(&environment, options)? {
            ConfigSearch::Untrusted { reason, .. } => Err(untrusted(&reason)),
            ConfigSearch::Unconfigured(state) => Self::new(&environment, None, state, options).await,
            ConfigSearch::Loaded(loaded) => {
                Self::new(&environment, Some(*loaded), UnconfiguredState::default(), options).await
            }
        }
    }

    /// Loads the setup of a command that only uses the state. A file that is not trusted is skipped, with a note.
    pub(crate) async fn load_for_state(options: &Options) -> Result<Self, CliError> {
        let environment = environment(options)?;
        let (loaded, unconfigured) = match find(&environment, options)? {
            ConfigSearch::Untrusted { file, .. } => {
                note(&format!("{} is not trusted and is skipped", file.path.display()));
                (None, UnconfiguredState::default())
            }
            ConfigSearch::Unconfigured(state) => (None, state.for_state()),
            ConfigSearch::Loaded(loaded) => (Some(*loaded), UnconfiguredState::default()),
        };
        Self::new(&environment, loaded, unconfigured, options).await
    }

    async fn new(
        environment: &Environment,
        loaded: Option<LoadedConfig>,
        unconfigured: UnconfiguredState,
        options: &Options,
    ) -> Result<Self, CliError> {
        let config = loaded.as_ref().map(|loaded| &loaded.config);
        if let Some(config) = config {
            set_lock_timeout(Duration::from_millis(config.kernel.lock_timeout_ms));
        }
        let state = StateFolder::open(state_folder(environment, config, unconfigured.has_demo())?)?;
        let configured = config.map_or("local", |config| config.kernel.agent.as_str());
        let agent = options.agent.clone().unwrap_or_else(|| configured.to_owned());
        if !is_agent_name(&agent) {
            return Err(CliError::usage(format!(
                "{agent:?} is not a name of an agent: expected 1 to 256 bytes of text"
            )));
        }
        let kernel_files = kernel_files(environment, loaded.as_ref());
        let secrets = AccountSecrets::new(environment, loaded.as_ref().map(|loaded| &loaded.file))?;
        let mut setup = Self { loaded, unconfigured, state, kernel_files, agent, secrets };
        if let Some(url) = setup.store_url(environment).await? {
            setup.state = in_postgres(setup.state, &url)?;
        }
        Ok(setup)
    }

    /// Returns the URL of the database that holds the tables of the state.
    pub(crate) async fn store_url(&self, environment: &Environment) -> Result<Option<String>, CliError> {
        if let Some(url) = environment.variable("MGP_STORE_URL") {
            return Ok(Some(url.to_owned()));
        }
        match self.loaded.as_ref().and_then(|loaded| loaded.config.store.url.as_ref()) {
            Some(url) => self.value("store.url", url.text()).await.map(Some),
            None => Ok(None),
        }
    }

    /// Returns the value of a key of the gateway, with the secrets that it names.
    pub(crate) async fn value(&self, key: &str, text: &Text) -> Result<String, CliError> {
        let value = text.with_secrets(&self.secrets).await;
        value.map_err(|error| CliError::new(Exit::Configuration, format!("{key}: {error}")))
    }

    /// Returns the time without use after which the gateway ends; `None` if it does not.
    pub(crate) fn idle_exit(&self) -> Option<Duration> {
        let default = KernelConfig::default().idle_exit_secs;
        let seconds = self.loaded.as_ref().map_or(default, |loaded| match loaded.config.console.listen {
            // Operators come at any time.
            Some(_) => 0,
            None => loaded.config.kernel.idle_exit_secs,
        });
        (seconds > 0).then(|| Duration::from_secs(seconds))
    }

    /// Returns the names of the variables that the gateway of all hosts takes from the login shell, besides `PATH`.
    #[cfg(unix)]
    pub(crate) fn shell_variables(&self) -> &[String] {
        self.loaded.as_ref().map_or(&[], |loaded| &loaded.config.kernel.environment)
    }

    /// Returns the principal that calls are made for.
    pub(crate) fn principal(&self) -> Principal {
        Principal::agent(&self.agent)
    }

    /// Returns the name of the configuration: its path, or a description of its substitute.
    pub(crate) fn configuration(&self) -> String {
        match &self.loaded {
            Some(loaded) => loaded.file.path.display().to_string(),
            None if self.unconfigured.has_demo() => "the demo".to_owned(),
            None => "none".to_owned(),
        }
    }

    /// Returns the reason why a server of the configuration cannot be reached with this environment, if there is one.
    pub(crate) fn fault(&self, id: &str) -> Option<&str> {
        let servers = &self.loaded.as_ref()?.config.servers;
        servers.iter().find(|server| server.id == id)?.fault.as_deref()
    }

    /// Notes arguments of servers that begin with `~`. This may be intended, because some servers replace it
    /// themselves.
    pub(crate) fn note_homes(&self) {
        for server in self.loaded.iter().flat_map(|loaded| loaded.config.enabled()) {
            let args = server.args.iter().enumerate();
            for (i, arg) in args.filter(|(_, arg)| arg.value() == "~" || arg.value().starts_with("~/")) {
                note(&format!(
                    "server {}: {:?} in args[{i}] is passed on as it is, because only a shell replaces ~; ${{HOME}} is the home folder",
                    server.id,
                    arg.written()
                ));
            }
        }
    }

    /// Notes servers with a setting that has no effect any more.
    pub(crate) fn note_shared(&self) {
        let servers = self.loaded.iter().flat_map(|loaded| loaded.config.enabled());
        for server in servers.filter(|server| server.settings().shared) {
            note(&format!(
                "server {}: `shared` is not needed and has no effect, because all hosts share one gateway",
                server.id
            ));
        }
    }

    /// Notes that the questions of the demo are kept apart, if there is such a state and it is not this one.
    pub(crate) fn note_demo(&self) {
        let demo = self.state.path().with_file_name(DEMO_FOLDER);
        if !self.unconfigured.has_demo() && demo.is_dir() {
            note("questions of the demo's servers are kept apart: see `mgp --demo approve`");
        }
    }

    /// Returns the servers of a kernel that starts from this setup, each with its default policy.
    pub(crate) fn servers(&self) -> Result<Vec<(String, DefaultPolicy)>, CliError> {
        if let Some(LoadedConfig { config, .. }) = &self.loaded {
            let policy = |server| config.default_policy(server);
            return Ok(config.enabled().map(|server| (server.id.clone(), policy(server))).collect());
        }
        Ok(self.embedded()?.into_iter().map(|server| (server.id, server.default_policy)).collect())
    }

    /// Returns the roles of the configuration, and the agents that have them.
    pub(crate) fn roles(&self) -> Roles {
        self.loaded.as_ref().map(|loaded| loaded.config.roles()).unwrap_or_default()
    }

    /// Returns the registrar, which adds and removes registered servers, with the rules and limits of this configuration.
    pub(crate) async fn registrar(&self, log: &AuditLog) -> Result<Registrar, CliError> {
        if let Some(kernel) = own_kernel() {
            return Ok(kernel.registrar().clone());
        }
        let (configured, limit, registrars) = match &self.loaded {
            Some(LoadedConfig { config, .. }) => (
                config.servers.iter().map(|server| server.id.clone()).collect(),
                config.kernel.limits.max_servers,
                config.access.registrars.iter().cloned().collect(),
            ),
            None => {
                let embedded = self.embedded()?.into_iter().map(|server| server.id).collect();
                (embedded, Limits::default().max_servers, Registrars::default())
            }
        };
        let registrations = Registrations::open(Arc::new(self.state.registrations()?)).await?;
        let rights = (self.state.access().await?, self.permissions(log).await?, self.confirmations(log)?);
        Ok(Registrar::new(registrations, registrars, rights, Arc::new(log.clone()), configured, limit))
    }

    /// Returns the ids of the servers that are registered in addition to the configuration.
    pub(crate) async fn registered(&self) -> Result<Vec<String>, CliError> {
        let registrations = Registrations::open(Arc::new(self.state.registrations()?)).await?;
        Ok(registrations.all().iter().map(|registration| registration.id().to_owned()).collect())
    }

    /// Returns the demo's servers, if they are used.
    pub(super) fn embedded(&self) -> Result<Vec<ServerSpec>, CliError> {
        if !self.unconfigured.has_demo() {
            return Ok(Vec::new());
        }
        let scratch = self.state.path().join("embedded");
        std::fs::create_dir_all(&scratch)?;
        Ok(embedded::servers(&scratch)?)
    }

    /// Opens the audit trail of a command, without removing events from it.
    pub(crate) fn audit(&self) -> Result<AuditLog, CliError> {
        if let Some(log) = own_kernel().and_then(|kernel| kernel.audit_log().cloned()) {
            return Ok(log);
        }
        Ok(self.state.audit_of_command(&self.audit_config(AuditRetention::default()))?)
    }

    /// Opens the audit trail for a kernel, which removes old events.
    pub(super) fn kept_audit(&self) -> Result<AuditLog, CliError> {
        let config = self.loaded.as_ref().map(|loaded| loaded.config.audit.clone()).unwrap_or_default();
        Ok(self.state.audit(&self.audit_config(AuditRetention {
            age: config.keep_days.map(|days| Duration::from_hours(u64::from(days.get()) * 24)),
            bytes: config.keep_mb.map(|megabytes| u64::from(megabytes.get()) * 1_000_000),
        }))?)
    }

    /// Returns the trails of all machines that share the database, or the trail of the state folder if there is none or `local` is true.
    pub(crate) async fn audit_reader(&self, local: bool) -> Result<Box<dyn AuditReader>, CliError> {
        let log = self.audit()?;
        let Some(database) = self.state.audit_database().filter(|_| !local) else { return Ok(Box::new(log)) };
        // A gateway of this folder may have ended before it copied its last events.
        if let Err(error) = log.copied().await {
            note(&format!("the newest events of this machine may be missing: {error}"));
        }
        Ok(Box::new(database))
    }

    fn audit_config(&self, retention: AuditRetention) -> AuditLogConfig {
        let config = self.loaded.as_ref().map(|loaded| loaded.config.audit.clone()).unwrap_or_default();
        let durability = match config.synchronous {
            Synchronous::Normal => Durability::Process,
            Synchronous::Full => Durability::Power,
        };
        let journal = match config.journal {
            AuditJournal::Local => JournalMode::Local,
            AuditJournal::Store => JournalMode::Store,
        };
        AuditLogConfig { durability, journal, retention, ..AuditLogConfig::default() }
    }

    /// Opens the decisions on permissions without a kernel, so nobody is asked.
    pub(crate) async fn permissions(&self, log: &AuditLog) -> Result<Permissions, CliError> {
        if let Some(kernel) = own_kernel() {
            return Ok(kernel.permissions().clone());
        }
        let policy = self.loaded.as_ref().and_then(|loaded| loaded.config.permissions.policy);
        let rules = PermissionRules::new(policy.unwrap_or(PermissionPolicy::Interactive));
        let store = Arc::new(self.state.permissions()?);
        Ok(Permissions::builder(rules, store, Arc::new(log.clone())).open().await?)
    }

    /// Opens the questions about calls that need confirmation, and their answers, without a kernel.
    pub(crate) fn confirmations(&self, log: &AuditLog) -> Result<Confirmations, CliError> {
        if let Some(kernel) = own_kernel() {
            return Ok(kernel.confirmations().clone());
        }
        let loaded = self.loaded.as_ref();
        let lifetime = loaded.map_or(Confirmations::LIFETIME, |loaded| {
            Duration::from_secs(loaded.config.permissions.decision_timeout_secs)
        });
        let store = Arc::new(self.state.permissions()?);
        Ok(Confirmations::open(store, Arc::new(log.clone()), lifetime))
    }

    /// Opens the pins of tools' definitions without a kernel, so no server is asked for its tools.
    pub(crate) async fn definitions(&self, log: &AuditLog) -> Result<Definitions, CliError> {
        if let Some(kernel) = own_kernel() {
            return Ok(kernel.definitions().clone());
        }
        Ok(Definitions::open(Arc::new(self.state.definitions()?), Arc::new(log.clone())).await?)
    }

    /// Returns the default lifetime of an approval, or `None` if approvals do not end.
    pub(crate) fn grant_lifetime(&self) -> Option<Duration> {
        let seconds = self.loaded.as_ref()?.config.permissions.grant_lifetime_secs?;
        Some(Duration::from_secs(seconds))
    }
}

#[cfg(feature = "postgres")]
fn in_postgres(state: StateFolder, url: &str) -> Result<StateFolder, CliError> {
    Ok(state.with_postgres(url)?)
}

#[cfg(not(feature = "postgres"))]
fn in_postgres(_: StateFolder, _: &str) -> Result<StateFolder, CliError> {
    Err(without_postgres("store.url"))
}

/// Returns the error of a key or command that needs the feature `postgres`.
#[cfg(not(feature = "postgres"))]
pub(crate) fn without_postgres(user: &str) -> CliError {
    let problem = format!("{user} needs the feature `postgres`, which this build does not have");
    CliError::new(Exit::Configuration, problem)
        .help("install a released program, or build one: `cargo install --path mgp --features postgres` in a checkout of the project")
}
