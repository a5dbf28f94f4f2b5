//! The kernel of a command.

use super::{Setup, reloader::Reloader};
use crate::{error::CliError, output::note, terminal::UnattendedApprover};
use mgp_discovery::config::{RefusalForm, ResultLimits, TelemetryConfig};
use mgp_kernel::{Kernel, KernelBuilder, Stores};
use mgp_security::{audit::AuditLog, keys::KeyStore as _, permission::Approver};
use mgp_transport::seam::Routes;
use mgp_types::lifecycle::RestartPolicy;
use std::sync::Arc;

/// The time that a command's call waits for the user at the terminal, in milliseconds.
const AT_A_TERMINAL_MS: u64 = 300_000;

/// A kernel for one command.
#[derive(Debug)]
pub(crate) struct CommandKernel;

impl Setup {
    /// Starts the kernel of `mgp serve`. `with_trail` gives it the sink that records into the audit trail.
    pub(crate) async fn serve(
        &self,
        approver: Arc<dyn Approver>,
        reloader: &Arc<Reloader>,
        routes: Routes,
        with_trail: impl FnOnce(KernelBuilder, AuditLog) -> KernelBuilder + Send,
    ) -> Result<Kernel, CliError> {
        self.note_homes();
        self.note_shared();
        let (builder, trail) = Box::pin(self.builder(approver, false)).await?;
        let builder = with_trail(builder, trail).routes(routes);
        Ok(builder.config(|config| reloader.apply_options(config)).start().await?)
    }

    /// Starts a kernel for one command. A server that fails to start is not restarted, so that its error is shown.
    pub(crate) async fn start(
        &self,
        CommandKernel: CommandKernel,
        approver: Arc<dyn Approver>,
    ) -> Result<Kernel, CliError> {
        let (builder, trail) = Box::pin(self.builder(approver, true)).await?;
        Ok(builder.audit_sink(trail).start().await?)
    }

    /// Starts a kernel for one command that starts servers only on demand and asks nobody.
    pub(crate) async fn start_asleep(&self) -> Result<Kernel, CliError> {
        self.start_asleep_with(Arc::new(UnattendedApprover { confirms: false })).await
    }

    /// Starts a kernel for one command that starts servers only on demand.
    pub(crate) async fn start_asleep_with(&self, approver: Arc<dyn Approver>) -> Result<Kernel, CliError> {
        let (builder, trail) = Box::pin(self.builder(approver, true)).await?;
        Ok(builder.audit_sink(trail).program(|program| program.asleep = true).start().await?)
    }

    async fn builder(
        &self,
        approver: Arc<dyn Approver>,
        start_once: bool,
    ) -> Result<(KernelBuilder, AuditLog), CliError> {
        let log = self.kept_audit()?;
        let access = self.state.access().await?;
        let mut stores = self.state.stores().await?;
        stores.references = self.references()?;
        let mut builder = Kernel::builder().state_folder(self.state.path()).program(|program| {
            program.configuration_name = Some(self.configuration());
            program.files.clone_from(&self.kernel_files);
            program.secrets = Some(Arc::new(self.secrets.clone()));
            program.single_command = start_once;
        });
        if start_once {
            // A command does not continue the rollbacks of a gateway that has ended.
            stores.transactions = Stores::default().transactions;
        }
        match &self.loaded {
            Some(loaded) => {
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
            }
            None => {
                builder = builder.config(|config| config.kernel.agent.clone_from(&self.agent));
                if let Some(text) = self.unconfigured.note(self.state.path()) {
                    note(&text);
                }
                if let Some(text) = self.unconfigured.instructions() {
                    builder = builder.program(|program| program.unconfigured = Some(text));
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
            builder = builder.config(|config| {
                config.kernel.refusals = RefusalForm::Error;
                config.permissions.wait_ms = AT_A_TERMINAL_MS;
            });
        }
        for key in self.state.keys()?.load().await?.iter().filter(|key| key.console.is_none()) {
            access.add_agent(&key.agent);
        }
        access.add_agent(&self.agent);
        let builder = builder.tool_index(self.tool_index().await);
        Ok((builder.access(access).stores(stores).approver(approver), log))
    }
}
