//! Reads the configuration again, and applies it to the kernel.

use super::{
    PolicyFile, Setup,
    config::{LoadedConfig, load_again},
};
use crate::{error::CliError, exit::Exit, options::Options};
use mgp_discovery::config::Config;
use mgp_kernel::Kernel;
use mgp_toolindex::exposure::Exposure;
use mgp_transport::seam::{Role, Routes};
use mgp_types::{
    context::Principal,
    lifecycle::{ConfigurationChange, ReloadConfiguration},
    rpc::ErrorObject,
};
use parking_lot::Mutex;
use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// The configuration of a kernel, which can be reloaded while the kernel runs.
#[derive(Debug)]
pub(crate) struct Reloader {
    options: Options,
    /// The tools shown to hosts, if the command line overrides the configuration.
    exposure: Option<Exposure>,
    /// The kernel, while it runs.
    kernel: Mutex<Option<Kernel>>,
    /// The current configuration; `None` if the kernel has no file. Locked during a reload.
    loaded: tokio::sync::Mutex<Option<LoadedConfig>>,
    /// The path of the policy file at the start. Only its content can be replaced.
    policy: Option<PathBuf>,
    /// True if keys have changed that only a restart applies.
    needs_restart: AtomicBool,
}

impl Reloader {
    pub(crate) fn new(options: &Options, setup: &Setup, exposure: Option<Exposure>) -> Self {
        Self {
            // `--trust` only applies to the content at the start.
            options: Options { trust: false, ..options.clone() },
            exposure,
            kernel: Mutex::default(),
            loaded: tokio::sync::Mutex::new(setup.loaded.clone()),
            policy: setup.loaded.as_ref().and_then(policy_path),
            needs_restart: AtomicBool::new(false),
        }
    }

    /// Applies the options of the command line to a configuration.
    pub(super) fn apply_options(&self, config: &mut Config) {
        config.kernel.exposure = self.exposure.unwrap_or(config.kernel.exposure);
    }

    /// Sets the kernel, once it runs.
    pub(crate) fn serves(&self, kernel: &Kernel) {
        *self.kernel.lock() = Some(kernel.clone());
    }

    /// Returns the kernel, while it runs.
    #[cfg(feature = "console")]
    pub(crate) fn kernel(&self) -> Option<Kernel> {
        self.kernel.lock().clone()
    }

    /// Releases the kernel at shutdown.
    pub(crate) fn ends(&self) {
        *self.kernel.lock() = None;
    }

    /// Returns the files that are watched for changes: the configuration and its policy file.
    pub(crate) async fn files(&self) -> Vec<PathBuf> {
        let loaded = self.loaded.lock().await;
        let Some(loaded) = &*loaded else { return Vec::new() };
        [Some(loaded.file.path.clone()), policy_path(loaded)].into_iter().flatten().collect()
    }

    /// Returns the method with which operators reload the configuration.
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

    /// Reads the configuration again, and applies it to the kernel.
    ///
    /// # Errors
    /// If the file cannot be used. Then nothing has changed.
    pub(crate) async fn reload(&self, by: &Principal) -> Result<ConfigurationChange, CliError> {
        let mut loaded = self.loaded.lock().await;
        let kernel = self.kernel.lock().clone();
        let (Some(before), Some(kernel)) = (&*loaded, kernel) else {
            return Err(CliError::failed("this gateway has no configuration file")
                .help("make one with `mgp init`, and start it again"));
        };
        let mut after = load_again(&self.options, &before.file)?;
        self.apply_options(&mut after.config);
        let policies = after.policy.as_ref().map(|policy| policy.policies(&after.config)).transpose()?;
        // Confined servers have no access to the policy file that was configured at the start.
        let is_same_file = self.policy == policy_path(&after);
        let is_changed = content(before) != content(&after);
        let policies = policies.filter(|_| is_same_file && is_changed);
        let changed = match policies {
            Some(policies) => kernel.reconfigure_with_policy(&after.config, policies, by).await,
            None => kernel.reconfigure(&after.config, by).await,
        };
        let mut change = changed.map_err(|error| CliError::new(Exit::Configuration, error.to_string()))?;
        if !is_same_file {
            PolicyFile::add_key(&mut change.needs_restart);
        }
        *loaded = Some(after);
        if !change.is_empty() {
            self.needs_restart.store(!change.needs_restart.is_empty(), Ordering::Relaxed);
        }
        Ok(change)
    }

    /// Applies the configuration if it has changed, for a host that arrives before the change is noticed. Returns whether keys have changed that
    /// only a restart applies.
    #[cfg(unix)]
    pub(crate) async fn catch_up(&self, by: &Principal) -> bool {
        let file =
            self.loaded.lock().await.as_ref().map(|loaded| (loaded.file.clone(), loaded.config.clone()));
        if let Some((file, config)) = file
            && let Ok(mut now) = load_again(&self.options, &file)
        {
            self.apply_options(&mut now.config);
            if now.config != config
                && let Err(error) = Box::pin(self.reload(by)).await
            {
                tracing::warn!(error = error.to_text(), "the changed configuration is not applied");
            }
        }
        self.needs_restart.load(Ordering::Relaxed)
    }
}

/// Returns the path of the policy file.
fn policy_path(loaded: &LoadedConfig) -> Option<PathBuf> {
    loaded.policy.as_ref().map(|policy| policy.path().to_owned())
}

/// Returns the content of the policy file.
fn content(loaded: &LoadedConfig) -> Option<&[u8]> {
    loaded.policy.as_ref()?.content().map(|(_, content)| content)
}
