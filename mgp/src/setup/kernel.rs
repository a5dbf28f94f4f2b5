//! The kernel of a command.

use super::{Setup, grants, reloader::Reloader};
use crate::{error::CliError, output::note, terminal::UnattendedApprover};
use mgp_discovery::config::{RefusalForm, ResultLimits, TelemetryConfig};
use mgp_kernel::{Kernel, KernelBuilder, Stores};
use mgp_security::{keys::KeyStore as _, permission::Approver};
use mgp_toolindex::exposure::Exposure;
use mgp_types::lifecycle::RestartPolicy;
use std::{sync::Arc, time::Duration};

/// The time that a command's call waits for the user at the terminal.
const AT_A_TERMINAL: Duration = Duration::from_secs(300);

/// The settings of a kernel that runs until it is stopped.
#[derive(Debug)]
pub(crate) struct ServeSettings {
    /// The tools shown to hosts, if the command line overrides the configuration.
    pub(crate) exposure: Option<Exposure>,
}

/// A kernel for one command.
#[derive(Debug)]
pub(crate) struct CommandKernel;

impl Setup {
    /// Starts the kernel of `mgp serve`.
    pub(crate) async fn serve(
        &self,
        how: ServeSettings,
        approver: Arc<dyn Approver>,
        reloader: &Arc<Reloader>,
    ) -> Result<Kernel, CliError> {
        self.note_homes();
        let builder = Box::pin(self.builder(approver, Some(reloader))).await?.routes(reloader.routes());
        let builder = match how.exposure {
            Some(exposure) => builder.exposure(exposure),
            None => builder,
        };
        Ok(builder.start().await?)
    }

    /// Starts a kernel for one command. A server that fails to start is not restarted, so that its error is shown.
    pub(crate) async fn start(
        &self,
        CommandKernel: CommandKernel,
        approver: Arc<dyn Approver>,
    ) -> Result<Kernel, CliError> {
        Ok(Box::pin(self.builder(approver, None)).await?.start().await?)
    }

    /// Starts a kernel for one command that starts servers only on demand and asks nobody.
    pub(crate) async fn start_asleep(&self) -> Result<Kernel, CliError> {
        self.start_asleep_with(Arc::new(UnattendedApprover { confirms: false })).await
    }

    /// Starts a kernel for one command that starts servers only on demand.
    pub(crate) async fn start_asleep_with(&self, approver: Arc<dyn Approver>) -> Result<Kernel, CliError> {
        Ok(Box::pin(self.builder(approver, None)).await?.asleep().start().await?)
    }

    async fn builder(
        &self,
        approver: Arc<dyn Approver>,
        reloader: Option<&Arc<Reloader>>,
    ) -> Result<KernelBuilder, CliError> {
        let start_once = reloader.is_none();
        let log = self.kept_audit()?;
        let access = self.state.access().await?;
        let mut stores = self.state.stores()?;
        let mut builder = Kernel::builder()
            .configuration_name(self.configuration())
            .state_folder(self.state.path())
            .token_folder(self.state.path());
        for path in &self.kernel_files {
            builder = builder.kernel_file(path);
        }
        if start_once {
            // A command does not continue the rollbacks of a gateway that has ended.
            stores.transactions = Stores::default().transactions;
            builder = builder.registered_restart(RestartPolicy::Never).lifecycle_events(false);
        }
        match &self.loaded {
            Some(loaded) => {
                grants::apply(loaded, &access, &log).await?;
                if let Some(reloader) = reloader {
                    reloader.keeps_grants(loaded, &access, &log);
                }
                let mut config = loaded.config.clone();
                if start_once {
                    // The metrics of one command are never read.
                    config.telemetry = TelemetryConfig::default();
                    // Kept results would end with the command.
                    config.results = ResultLimits::default();
                }
                for server in config.servers.iter_mut().filter(|_| start_once) {
                    let mut settings = server.settings().into_owned();
                    settings.restart_policy = RestartPolicy::Never;
                    server.mgp = Some(settings);
                }
                builder = builder.configure(&config)?;
                if let Some(policies) = self.policies()? {
                    builder = builder.access_policy(policies);
                }
                for key in &config.http.api_keys {
                    builder = builder.agent(&*key.agent);
                }
            }
            None => {
                if let Some(text) = self.unconfigured.note(self.state.path()) {
                    note(&text);
                }
                if let Some(text) = self.unconfigured.instructions() {
                    builder = builder.unconfigured(text);
                }
                for mut server in self.embedded()? {
                    if start_once {
                        server.restart.restart_policy = RestartPolicy::Never;
                    }
                    builder = builder.server(server);
                }
            }
        }
        if start_once {
            // A command needs errors rather than instructions, and a user at a terminal has more patience than a host.
            builder = builder
                .refusals(RefusalForm::Error)
                .greeting_wait(Duration::ZERO)
                .approval_wait(AT_A_TERMINAL);
        }
        for key in self.state.keys()?.load().await? {
            builder = builder.agent(&*key.agent);
        }
        Ok(builder
            .tool_index(self.tool_index().await)
            .agent(&*self.agent)
            .access(access)
            .stores(stores)
            .audit_log(log)
            .approver(approver))
    }
}
