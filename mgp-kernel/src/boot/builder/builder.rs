//! The builder of a kernel.

use super::ProgramSettings;
use crate::{
    ConfigurationError, Endpoint, ServerSpec, Stores,
    boot::{
        configured::{ConfiguredParts, check},
        endpoint::CredentialSources,
        settings::Settings,
    },
    features::registration::Reach,
};
use mgp_discovery::{config::Config, registration::Registration};
use std::path::PathBuf;

/// The builder of a [`Kernel`](crate::Kernel), made by [`Kernel::builder`](crate::Kernel::builder). By default, state is kept in
/// memory and users are asked by elicitation.
///
/// The builder holds one configuration, with all settings that `mgp.toml` can hold: [`configure`](Self::configure) sets it as a whole, and
/// [`config`](Self::config) changes it. The other setters are for what a file cannot hold. The order of the calls only matters among those
/// two, among servers, among gates, and if a value is set twice.
#[derive(Debug, Default)]
pub struct KernelBuilder {
    // Boxed, because every setter moves the builder.
    settings: Box<Settings>,
}

impl KernelBuilder {
    pub(super) fn set(mut self, set: impl FnOnce(&mut Settings)) -> Self {
        set(&mut self.settings);
        self
    }

    /// Returns the settings, once the configuration is checked.
    pub(crate) fn into_settings(self) -> Result<Box<Settings>, ConfigurationError> {
        check(&self.settings.config, &self.settings.servers)?;
        Ok(self.settings)
    }

    /// Sets the configuration instead of the default one, without the changes that were made to that. Its servers come before those of
    /// [`server`](Self::server). [`start`](Self::start) applies its grants. A relative path of a policy file starts at the working directory.
    ///
    /// # Errors
    /// [`ConfigurationError`].
    pub fn configure(self, config: &Config) -> Result<Self, ConfigurationError> {
        ConfiguredParts::new(config, &[], &CredentialSources::default())?;
        Ok(self.config(|current| current.clone_from(config)))
    }

    /// Changes the configuration. Its values are checked by [`start`](Self::start) like those of a file, except that numbers have no upper bounds.
    ///
    /// ```
    /// use mgp_kernel::{Exposure, Kernel};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), mgp_kernel::KernelError> {
    /// let builder = Kernel::builder().config(|config| {
    ///     config.kernel.agent = "ann".into();
    ///     config.kernel.exposure = Exposure::Full;
    ///     config.permissions.wait_ms = 10_000;
    /// });
    /// let kernel = builder.start().await?;
    /// # kernel.shutdown().await;
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn config(self, change: impl FnOnce(&mut Config)) -> Self {
        self.set(|settings| change(&mut settings.config))
    }

    /// Adds a server. If two servers have a tool of the same name, the server that was added first keeps the bare name.
    #[must_use]
    pub fn server(self, server: ServerSpec) -> Self {
        self.set(|settings| settings.servers.push(server))
    }

    /// Changes the settings of the program around the kernel.
    ///
    /// ```
    /// use mgp_kernel::Kernel;
    ///
    /// let builder = Kernel::builder().program(|program| program.configuration_name = Some("mgp.toml".into()));
    /// ```
    #[must_use]
    pub fn program(self, change: impl FnOnce(&mut ProgramSettings)) -> Self {
        self.set(|settings| change(&mut settings.program))
    }

    /// Sets the endpoint of a registered server instead of its command or URL, for example in a container.
    #[must_use]
    pub fn reach_registered(
        self,
        reach: impl Fn(&Registration) -> Result<Endpoint, ConfigurationError> + Send + Sync + 'static,
    ) -> Self {
        self.set(|settings| settings.reach = Reach::new(reach))
    }

    /// Sets the stores of the kernel's state; in memory by default.
    #[must_use]
    pub fn stores(self, stores: Stores) -> Self {
        self.set(|settings| settings.stores = stores)
    }

    /// Sets the folder of the kernel's state. OAuth tokens of servers of the configuration are in an encrypted file in it. Without a
    /// state folder, they are kept in memory.
    ///
    /// No confined server may use the folder, except its private folder `servers/ID`. That folder is the server's home and working
    /// directory, and the only one that it may write without permission. Without a state folder, there is no such folder.
    #[must_use]
    pub fn state_folder(self, folder: impl Into<PathBuf>) -> Self {
        self.set(|settings| settings.state_folder = Some(folder.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_replaces_the_one_before_it() {
        let mut first = Config::default();
        (first.kernel.search_results, first.kernel.transactions) = (9, true);
        let mut second = Config::default();
        second.kernel.search_results = 3;
        let builder = KernelBuilder::default().configure(&first).unwrap().configure(&second).unwrap();
        let settings = builder.config(|config| config.kernel.check_arguments = true).into_settings().unwrap();
        second.kernel.check_arguments = true;
        assert_eq!(settings.config, second);
    }

    #[test]
    fn values_of_a_program_are_checked() {
        let started = |change: fn(&mut Config)| {
            let builder = KernelBuilder::default().config(change);
            builder.into_settings().map(drop).map_err(|error| error.to_string())
        };
        let error = started(|config| config.kernel.search_results = 0).unwrap_err();
        assert!(error.starts_with("kernel.search_results: 0 is out of bounds"), "{error}");
        let error = started(|config| config.audit.server = Some("log".into())).unwrap_err();
        assert!(error.starts_with("audit.server: no server \"log\""), "{error}");
        started(|config| config.kernel.start_wait_ms = u64::MAX).unwrap();
    }

    #[test]
    fn a_configuration_may_name_the_servers_of_the_program() {
        let endpoint = Endpoint::Unusable("none".into());
        let builder = KernelBuilder::default().config(|config| config.audit.server = Some("log".into()));
        builder.server(ServerSpec::new("log", endpoint)).into_settings().unwrap();
    }
}
