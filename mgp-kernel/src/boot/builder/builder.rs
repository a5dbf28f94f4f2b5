//! The builder of a kernel.

use crate::{
    ConfigurationError, Endpoint, ServerSpec,
    boot::{applied::AppliedConfiguration, settings::Settings},
    features::registration::Reach,
};
use mgp_discovery::{config::Config, public_registry::Recommender, registration::Registration};
use mgp_server_sdk::ServerStack;
use mgp_types::lifecycle::RestartPolicy;
use std::{fmt, path::PathBuf};

/// The builder of a [`Kernel`](crate::Kernel), made by [`Kernel::builder`](crate::Kernel::builder). By default, state is kept in
/// memory and users are asked by elicitation. The order of the calls only matters among servers, among gates, and if a value is set twice. Every
/// setter overrides the configuration.
#[derive(Default)]
pub struct KernelBuilder {
    /// Applied in this order, before the setters.
    pub(crate) configurations: Vec<Config>,
    /// The folder for OAuth tokens; `None` keeps them in memory.
    pub(crate) token_folder: Option<PathBuf>,
    setters: Vec<Setter>,
}

/// A change of the settings, applied after the configuration.
type Setter = Box<dyn FnOnce(&mut Settings) + Send + Sync>;

impl fmt::Debug for KernelBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KernelBuilder").field("setters", &self.setters.len()).finish_non_exhaustive()
    }
}

impl KernelBuilder {
    pub(super) fn set(mut self, setter: impl FnOnce(&mut Settings) + Send + Sync + 'static) -> Self {
        self.setters.push(Box::new(setter));
        self
    }

    /// Returns the settings: the configuration's, changed by the setters.
    pub(crate) fn into_settings(self) -> Result<Settings, ConfigurationError> {
        let mut settings = Settings::default();
        for config in &self.configurations {
            settings.configure(config, self.token_folder.as_deref())?;
        }
        self.setters.into_iter().for_each(|set| set(&mut settings));
        let program = std::mem::take(&mut settings.program);
        let mut settings = settings.with_program(&program);
        if let [config] = &self.configurations[..] {
            settings.applied = Some(AppliedConfiguration::new(config.clone(), self.token_folder, program));
        }
        Ok(settings)
    }

    /// Adds the servers of a configuration, before those of [`server`](Self::server), and its other settings. Stores, the
    /// approver and the access control are set separately. A relative path of a policy file starts at the working directory.
    ///
    /// # Errors
    /// [`ConfigurationError`].
    pub fn configure(mut self, config: &Config) -> Result<Self, ConfigurationError> {
        Settings::default().configure(config, None)?;
        self.configurations.push(config.clone());
        Ok(self)
    }

    /// Adds a server. If two servers have a tool of the same name, the server that was added first keeps the bare name.
    #[must_use]
    pub fn server(self, server: ServerSpec) -> Self {
        self.set(move |settings| settings.program.servers.push(server))
    }

    /// Adds a server that runs in this process.
    #[must_use]
    pub fn server_in_process(self, id: impl Into<String>, stack: ServerStack) -> Self {
        self.server(ServerSpec::new(id, stack))
    }

    /// Sets the registries that recommend servers when a request for tools finds none for a capability. The capability's words are sent to
    /// them, which the agent chooses.
    #[must_use]
    pub fn recommender(self, recommender: Recommender) -> Self {
        self.set(move |settings| settings.recommender = Some(recommender))
    }

    /// Sets the name of the configuration, such as its path, which the kernel's report for operators
    /// ([`KernelStatus`](mgp_types::lifecycle::KernelStatus)) shows.
    #[must_use]
    pub fn configuration_name(self, name: impl Into<String>) -> Self {
        let name = name.into();
        self.set(move |settings| settings.configuration = Some(name))
    }

    /// Starts no server with the kernel: each waits for the first request that needs it, or for [`Server::wake`](crate::Server::wake), as
    /// if it were lazy. Before that, only the contents of [`Stores::listings`](crate::Stores::listings) are known of the servers. This is for a
    /// kernel that lives as long as one command.
    #[must_use]
    pub fn asleep(self) -> Self {
        self.set(move |settings| settings.asleep = true)
    }

    /// Sets the restart policy of registered servers; on failure by default.
    #[must_use]
    pub fn registered_restart(self, policy: RestartPolicy) -> Self {
        self.set(move |settings| settings.registered_restart = policy)
    }

    /// Sets the endpoint of a registered server instead of its command or URL, for example in a container.
    #[must_use]
    pub fn reach_registered(
        self,
        reach: impl Fn(&Registration) -> Result<Endpoint, ConfigurationError> + Send + Sync + 'static,
    ) -> Self {
        self.set(move |settings| settings.reach = Reach::new(reach))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ParkedCalls;
    use mgp_discovery::config::RefusalForm;
    use mgp_security::{permission::PermissionRules, validator::Validators};
    use mgp_toolindex::{budget::ToolContextBudget, exposure::Exposure};
    use mgp_types::permission::PermissionPolicy;
    use std::time::Duration;

    /// Calls every setter whose value the configuration has too.
    fn set(builder: KernelBuilder) -> KernelBuilder {
        builder
            // Shown in one order.
            .validators(Validators::default())
            .exposure(Exposure::Full)
            .search_results(3)
            .max_concurrent(7)
            .first_start_limit(Duration::from_secs(1))
            .instructions("of the program")
            .instructions_tokens(5)
            .refusals(RefusalForm::Result)
            .permission_rules(PermissionRules::new(PermissionPolicy::DenyAll))
            .approval_wait(Duration::from_secs(2))
            .decision_timeout(Duration::from_secs(3))
            .grant_lifetime(None)
            .conceal(false)
            .registrars(["ann"])
            .parked_calls(ParkedCalls { lifetime: Duration::from_secs(4), ..ParkedCalls::default() })
            .context_budget(ToolContextBudget::default())
            .pinned(["time"])
            .agent("ann")
    }

    #[test]
    fn a_setter_overrides_the_configuration_in_any_order() {
        let text = "[kernel]\nexposure = \"discovery\"\nsearch_results = 9\ninstructions = \"of the file\"\n\
            instructions_tokens = 9\nstart_wait_ms = 9\nagent = \"bob\"\n[access]\nconceal = true\nregistrars = [\"bob\"]\n\
            [permissions]\nwait_ms = 9\ngrant_lifetime_secs = 9\n";
        let config = Config::parse("mgp.toml".as_ref(), text.as_bytes(), &|_| None).unwrap();
        let settings = |builder: KernelBuilder| format!("{:?}", builder.into_settings().unwrap());
        let first = settings(set(KernelBuilder::default()).configure(&config).unwrap());
        assert_eq!(first, settings(set(KernelBuilder::default().configure(&config).unwrap())));
        let shown = [
            "exposure: Full",
            "search_results: 3",
            "own: Some(\"of the program\")",
            "conceal: Some(false)",
            "bob",
        ];
        assert!(shown.iter().all(|text| first.contains(text)), "{first}");
    }
}
