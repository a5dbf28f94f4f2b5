//! Finds the configuration, checks its trust, and reads it.

use super::{
    policy::PolicyFile,
    unconfigured::{DEMO_FOLDER, UnconfiguredState},
};
use crate::{error::CliError, exit::Exit, options::Options};
use mgp_discovery::{
    config::{Config, ConfigError, Text, read_bytes},
    locate::{ConfigFile, Environment, config_file, state_dir, user_config_file},
    trust::{Trust, TrustStore},
};
use std::{
    cell::RefCell,
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

/// A configuration and its file.
#[derive(Debug, Clone)]
pub(crate) struct LoadedConfig {
    pub(crate) file: ConfigFile,
    pub(crate) config: Config,
    /// The policy file that the configuration names.
    pub(crate) policy: Option<PolicyFile>,
    /// The variables that the configuration names, with their values.
    #[cfg_attr(not(unix), expect(dead_code, reason = "they tell gateways apart"))]
    pub(crate) variables: BTreeMap<String, Option<String>>,
}

/// The result of the search for a configuration.
#[derive(Debug)]
pub(super) enum ConfigSearch {
    Unconfigured(UnconfiguredState),
    /// A project's file that is not trusted.
    Untrusted {
        file: ConfigFile,
        reason: String,
    },
    Loaded(Box<LoadedConfig>),
}

/// Returns the environment, in which options of the command line replace variables.
pub(crate) fn environment(options: &Options) -> Result<Environment, CliError> {
    let mut environment = Environment::of_process()?;
    for (name, given) in [("MGP_CONFIG_PATH", &options.config), ("MGP_STATE_DIR", &options.state_dir)] {
        if let Some(given) = given {
            environment.variables.insert(name.to_owned(), given.clone());
        }
    }
    Ok(environment)
}

/// Returns the folder in which trust is recorded. A configuration cannot choose the folder, because it could then vouch for
/// itself.
pub(crate) fn trust_folder(environment: &Environment) -> Result<PathBuf, CliError> {
    state_dir(environment, None).ok_or_else(no_folder)
}

/// Returns the state folder. The demo has its own, unless the command line or the environment names one.
pub(crate) fn state_folder(
    environment: &Environment,
    config: Option<&Config>,
    is_demo: bool,
) -> Result<PathBuf, CliError> {
    if is_demo && environment.variable("MGP_STATE_DIR").is_none() {
        return environment.state_dir.as_ref().map(|folder| folder.join(DEMO_FOLDER)).ok_or_else(no_folder);
    }
    let configured = config.and_then(|config| config.kernel.state_dir.as_ref());
    state_dir(environment, configured.map(Text::value)).ok_or_else(no_folder)
}

/// Returns the files that decide the rights of servers, other than the state folder: the loaded configuration, its policy file, the
/// user's own configuration, and the record of trusted projects.
pub(super) fn kernel_files(environment: &Environment, loaded: Option<&LoadedConfig>) -> Vec<PathBuf> {
    let users = user_config_file(environment).and_then(|file| file.parent().map(PathBuf::from));
    let policy = loaded.and_then(|loaded| Some(loaded.policy.as_ref()?.path().to_owned()));
    let loaded = loaded.map(|loaded| loaded.file.path.clone());
    [loaded, policy, users, state_dir(environment, None)].into_iter().flatten().collect()
}

fn no_folder() -> CliError {
    CliError::new(Exit::Configuration, "this account has no folder for state")
        .help("name one with --state-dir")
}

/// Finds the configuration file, checks that it may be used, and reads it.
pub(super) fn find(environment: &Environment, options: &Options) -> Result<ConfigSearch, CliError> {
    if options.demo {
        return Ok(ConfigSearch::Unconfigured(UnconfiguredState::demo()));
    }
    let Some(file) = config_file(environment, &|path| path.is_file()) else {
        return Ok(ConfigSearch::Unconfigured(UnconfiguredState::of(environment)));
    };
    let bytes = read_bytes(&file.path)?;
    if options.trust {
        return parse(environment, file, &bytes).map(|loaded| ConfigSearch::Loaded(Box::new(loaded)));
    }
    let store = TrustStore::in_folder(&trust_folder(environment)?);
    if let Trust::Untrusted { reason, .. } = store.check(&file, &bytes)? {
        return Ok(ConfigSearch::Untrusted { file, reason });
    }
    let loaded = parse(environment, file, &bytes)?;
    // The policy file grants rights like the configuration, and comes from the same place.
    if let Some((path, bytes)) = loaded.policy.as_ref().and_then(PolicyFile::content) {
        let policy = ConfigFile { path: path.to_owned(), origin: loaded.file.origin };
        if let Trust::Untrusted { reason, .. } = store.check(&policy, bytes)? {
            return Ok(ConfigSearch::Untrusted { file: loaded.file, reason });
        }
    }
    Ok(ConfigSearch::Loaded(Box::new(loaded)))
}

/// Reloads the configuration of a running kernel, if it may be used and is still the same file.
pub(crate) fn load_again(options: &Options, before: &ConfigFile) -> Result<LoadedConfig, CliError> {
    match find(&environment(options)?, options)? {
        ConfigSearch::Untrusted { file, reason } if file == *before => Err(untrusted(&reason)),
        ConfigSearch::Loaded(loaded) if loaded.file == *before => Ok(*loaded),
        _ => {
            let problem = format!("{} is no longer the configuration that is found", before.path.display());
            Err(CliError::new(Exit::Configuration, problem)
                .help("put it back, or restart `mgp serve` to use another"))
        }
    }
}

/// Parses a configuration and reads its policy file, without checking their trust.
pub(crate) fn parse(
    environment: &Environment,
    file: ConfigFile,
    bytes: &[u8],
) -> Result<LoadedConfig, CliError> {
    let variables = RefCell::new(BTreeMap::new());
    let value = |name: &str| {
        let value = environment.variables.get(name).cloned();
        variables.borrow_mut().insert(name.to_owned(), value.clone());
        value
    };
    let mut config = Config::parse(&file.path, bytes, &value)?;
    // The kernel gets the policies that were read here, because their trust is checked.
    let policy = config.access.policy_file.take().map(|name| PolicyFile::of(&file.path, name.value()));
    Ok(LoadedConfig { file, config, policy, variables: variables.into_inner() })
}

/// Reads a file of the configuration. Anything else, such as a pipe, could block for ever.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, ConfigError> {
    match path.metadata() {
        Ok(found) if !found.is_file() => {
            let source = io::Error::other("expected a file, found something else");
            Err(ConfigError::Read { path: path.to_owned(), source })
        }
        _ => read_bytes(path),
    }
}

/// Returns the reason why a project's file may not be used.
pub(crate) fn trust_problem(environment: &Environment, file: &ConfigFile, bytes: &[u8]) -> Option<String> {
    // An error is reported as a fault of the state folder.
    let folder = trust_folder(environment).ok()?;
    match TrustStore::in_folder(&folder).check(file, bytes) {
        Ok(Trust::Trusted) => None,
        Ok(Trust::Untrusted { reason, .. }) => Some(reason),
        Err(error) => Some(error.to_string()),
    }
}

/// Returns the error for a file that is not trusted.
pub(crate) fn untrusted(reason: &str) -> CliError {
    CliError::new(Exit::Configuration, format!("this project's file may not run commands: {reason}"))
        .help("look at it, then run `mgp trust`; or add --trust to use it this once")
}
