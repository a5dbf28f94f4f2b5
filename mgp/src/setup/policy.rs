//! The policy file of access control.

use super::Setup;
use crate::{
    error::{CliError, PlacedProblem},
    exit::Exit,
};
use mgp_discovery::config::Config;
use mgp_kernel::AccessPolicy;
#[cfg(feature = "cedar")]
use mgp_kernel::{CedarError, CedarPolicies, CedarProblem};
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
    /// The key that names the file.
    pub(crate) const KEY: &str = "access.policy_file";

    /// Adds the key to a list of changed keys that does not have it.
    pub(crate) fn add_key(keys: &mut Vec<String>) {
        if !keys.iter().any(|key| key == Self::KEY) {
            keys.push(Self::KEY.to_owned());
        }
    }

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

    /// Returns the file with another content.
    pub(crate) fn with_content(&self, content: &[u8]) -> Self {
        Self { path: self.path.clone(), content: Ok(Arc::from(content)) }
    }

    /// Returns the problems of the policies, each with its place in this file.
    pub(crate) fn problems(&self, config: &Config) -> Vec<PlacedProblem> {
        #[cfg(feature = "cedar")]
        match self.text().map(|text| self.parsed(text, config)) {
            Ok(Ok(_)) => Vec::new(),
            Ok(Err(CedarError::Invalid(problems))) => problems.into_iter().map(placed).collect(),
            Ok(Err(error)) => vec![PlacedProblem::of_file(error.to_string())],
            Err(reason) => vec![PlacedProblem::of_file(reason)],
        }
        #[cfg(not(feature = "cedar"))]
        self.policies(config).err().map(CliError::into_problems).unwrap_or_default()
    }

    /// Returns the policies. They may only refer to roles and servers of the configuration.
    #[cfg(feature = "cedar")]
    pub(crate) fn policies(&self, config: &Config) -> Result<Arc<dyn AccessPolicy>, CliError> {
        let failed = |reason: String| {
            let error = CliError::new(Exit::Configuration, format!("access.policy_file: {reason}"));
            error.help(
                "`mgp access schema` prints what a policy can ask; see docs/configuration.md#policy-file",
            )
        };
        let text = self.text().map_err(failed)?;
        let policies = self.parsed(text, config).map_err(|error| failed(error.to_string()))?;
        Ok(Arc::new(policies))
    }

    #[cfg(feature = "cedar")]
    fn text(&self) -> Result<&str, String> {
        let path = self.path.display();
        let content = self.content.as_ref().map_err(|error| format!("failed to read {path}: {error}"))?;
        std::str::from_utf8(content)
            .map_err(|error| format!("{path}: not UTF-8 from byte {} on", error.valid_up_to()))
    }

    #[cfg(feature = "cedar")]
    fn parsed(&self, text: &str, config: &Config) -> Result<CedarPolicies, CedarError> {
        let policies = CedarPolicies::parse(self.path.display().to_string(), text)?;
        let roles = config.roles();
        let roles: Vec<_> = roles.rules().map(|(name, _)| name).collect();
        let servers: Vec<_> = config.servers.iter().map(|server| server.id.as_str()).collect();
        policies.check_names(&roles, &servers)?;
        Ok(policies)
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

#[cfg(feature = "cedar")]
fn placed(problem: CedarProblem) -> PlacedProblem {
    PlacedProblem { line: problem.line, column: problem.column, ..PlacedProblem::of_file(problem.message) }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LIMIT).read_to_end(&mut bytes)?;
    Ok(bytes)
}
