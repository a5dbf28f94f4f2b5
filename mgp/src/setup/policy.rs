//! The policy file of access control.

use super::Setup;
use crate::{error::CliError, exit::Exit};
use mgp_discovery::config::Config;
use mgp_kernel::AccessPolicy;
use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::Arc,
};

/// The maximum size of a policy file plus one, in bytes.
const LIMIT: u64 = 1024 * 1024 + 1;

/// A configuration's policy file, read together with the configuration.
#[derive(Debug, Clone)]
pub(crate) struct PolicyFile {
    path: PathBuf,
    /// The content, or the reason why it could not be read. Commands that need no policies ignore the error.
    content: Result<Arc<[u8]>, String>,
}

impl PolicyFile {
    /// Reads the policy file with a name relative to the folder of the configuration.
    pub(super) fn of(configuration: &Path, name: &str) -> Self {
        let path = configuration.parent().map_or_else(|| PathBuf::from(name), |folder| folder.join(name));
        let content = read(&path).map(Arc::from).map_err(|error| error.to_string());
        Self { path, content }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path and the content, if the file could be read.
    pub(crate) fn content(&self) -> Option<(&Path, &[u8])> {
        Some((&self.path, self.content.as_deref().ok()?))
    }

    /// Returns the policies. They may only refer to roles and servers of the configuration.
    #[cfg(feature = "cedar")]
    pub(crate) fn policies(&self, config: &Config) -> Result<Arc<dyn AccessPolicy>, CliError> {
        let path = self.path.display();
        let failed = |reason: String| {
            let error = CliError::new(Exit::Configuration, format!("access.policy_file: {reason}"));
            error.help(
                "`mgp access schema` prints what a policy can ask; see docs/configuration.md#policy-file",
            )
        };
        let content =
            self.content.as_ref().map_err(|error| failed(format!("failed to read {path}: {error}")))?;
        let text = std::str::from_utf8(content)
            .map_err(|error| failed(format!("{path}: not UTF-8 from byte {} on", error.valid_up_to())))?;
        let policies = mgp_kernel::CedarPolicies::parse(path.to_string(), text);
        let policies = policies.map_err(|error| failed(error.to_string()))?;
        let roles = config.roles();
        let roles: Vec<_> = roles.rules().map(|(name, _)| name).collect();
        let servers: Vec<_> = config.servers.iter().map(|server| server.id.as_str()).collect();
        policies.check_names(&roles, &servers).map_err(|error| failed(error.to_string()))?;
        Ok(Arc::new(policies))
    }

    /// Returns an error, because this build has no policies.
    #[cfg(not(feature = "cedar"))]
    pub(crate) fn policies(&self, _: &Config) -> Result<Arc<dyn AccessPolicy>, CliError> {
        Err(without_policies(&format!("access.policy_file: {}", self.path.display())))
    }
}

/// Returns the error of a build without policies.
#[cfg(not(feature = "cedar"))]
pub(crate) fn without_policies(asked: &str) -> CliError {
    let error = format!("{asked}: this build has no policies");
    CliError::new(Exit::Configuration, error)
        .help("build one that has: `cargo install --path mgp --features cedar` in a checkout of the project")
}

impl Setup {
    /// Returns the policies of the configured policy file, if there is one.
    pub(crate) fn policies(&self) -> Result<Option<Arc<dyn AccessPolicy>>, CliError> {
        let Some(loaded) = &self.loaded else { return Ok(None) };
        loaded.policy.as_ref().map(|policy| policy.policies(&loaded.config)).transpose()
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LIMIT).read_to_end(&mut bytes)?;
    Ok(bytes)
}
