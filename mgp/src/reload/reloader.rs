//! Reads the configuration again, and has the kernel take it over.

use crate::{
    args::Options,
    error::CliError,
    exit::Exit,
    setup::{LoadedConfig, Setup, grants, load_again},
};
use mgp_client_sdk::kernel::{Kernel, ReloadError};
use mgp_security::{access::AccessControl, audit::AuditLog};
use mgp_transport::seam::{Role, Routes};
use mgp_types::{
    context::Principal,
    lifecycle::{ConfigurationChange, ReloadConfiguration},
    rpc::ErrorObject,
};
use parking_lot::Mutex;
use std::{
    path::PathBuf,
    sync::{Arc, OnceLock},
};
use tokio::task::AbortHandle;

/// The configuration of a kernel, which can be read again while the kernel runs.
#[derive(Debug)]
pub(crate) struct Reloader {
    options: Options,
    /// The kernel, while it runs.
    kernel: Mutex<Option<Kernel>>,
    /// The configuration that is in force; `None` if the kernel has no file. Held while it is read again.
    loaded: tokio::sync::Mutex<Option<LoadedConfig>>,
    /// The task that keeps the grants of the configuration.
    grants: Mutex<Option<AbortHandle>>,
    /// The access control and the audit trail that the grants go to.
    rights: OnceLock<(AccessControl, AuditLog)>,
}

impl Reloader {
    pub(crate) fn new(options: &Options, setup: &Setup) -> Self {
        Self {
            // `--trust` was for the content that was there at the start.
            options: Options { trust: false, ..options.clone() },
            kernel: Mutex::default(),
            loaded: tokio::sync::Mutex::new(setup.loaded.clone()),
            grants: Mutex::default(),
            rights: OnceLock::new(),
        }
    }

    /// Sets the access control and the audit trail that the grants of the configuration go to, and keeps those of the one at the start.
    pub(crate) fn keeps_grants(&self, loaded: &LoadedConfig, access: &AccessControl, log: &AuditLog) {
        let _ = self.rights.set((access.clone(), log.clone()));
        self.keep_grants(loaded);
    }

    fn keep_grants(&self, loaded: &LoadedConfig) {
        let Some((access, log)) = self.rights.get().cloned() else { return };
        let keeping = tokio::spawn(grants::keep(loaded.clone(), access, log)).abort_handle();
        if let Some(before) = self.grants.lock().replace(keeping) {
            before.abort();
        }
    }

    /// Sets the kernel, once it runs.
    pub(crate) fn serves(&self, kernel: &Kernel) {
        *self.kernel.lock() = Some(kernel.clone());
    }

    /// Lets go of the kernel, which ends.
    pub(crate) fn ends(&self) {
        *self.kernel.lock() = None;
    }

    /// Returns the files whose changes are looked for: the configuration, and its policy file.
    pub(super) async fn files(&self) -> Vec<PathBuf> {
        let loaded = self.loaded.lock().await;
        let Some(loaded) = &*loaded else { return Vec::new() };
        let policy = loaded.policy.as_ref().map(|policy| policy.path().to_owned());
        [Some(loaded.file.path.clone()), policy].into_iter().flatten().collect()
    }

    /// Returns the method by which operators have the configuration read again.
    pub(crate) fn routes(self: &Arc<Self>) -> Routes {
        let reload = |reloader: Arc<Self>, caller: Principal, _| async move {
            let reloaded = Box::pin(reloader.reload(&caller)).await;
            reloaded.map_err(|error| {
                let text = error.to_text();
                ErrorObject::invalid_request(text.strip_prefix("error: ").unwrap_or(&text))
            })
        };
        Routes::new().typed(ReloadConfiguration, Role::Admin, reload).with_state(self.clone())
    }

    /// Reads the configuration again, and has the kernel take it over.
    ///
    /// # Errors
    /// If the file cannot be used: nothing has changed then.
    pub(crate) async fn reload(&self, by: &Principal) -> Result<ConfigurationChange, CliError> {
        let mut loaded = self.loaded.lock().await;
        let kernel = self.kernel.lock().clone();
        let (Some(before), Some(kernel)) = (&*loaded, kernel) else {
            return Err(CliError::failed("this kernel has no configuration file")
                .help("make one with `mgp init`, and start it again"));
        };
        let after = load_again(&self.options, &before.file)?;
        let policies = after.policy.as_ref().map(|policy| policy.policies(&after.config)).transpose()?;
        let mut change = kernel.reconfigure(&after.config, by).await.map_err(|error| refused(&error))?;
        match (&before.policy, &after.policy, policies) {
            (Some(old), Some(new), Some(policies)) if old.content() != new.content() => {
                kernel.access().set_policy(policies);
                change.applied.push("access.policy_file".to_owned());
            }
            (Some(_), None, _) | (None, Some(_), _) => {
                change.needs_restart.push("access.policy_file".to_owned());
            }
            _ => {}
        }
        if let Some((access, log)) = self.rights.get() {
            grants::apply(&after, access, log).await?;
            self.keep_grants(&after);
        }
        *loaded = Some(after);
        Ok(change)
    }
}

fn refused(error: &ReloadError) -> CliError {
    CliError::new(Exit::Configuration, error.to_string())
}
