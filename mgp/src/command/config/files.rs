//! The files of the configuration.

use crate::{
    error::{CliError, PlacedProblem},
    exit::Exit,
    options::Options,
    setup::{LoadedConfig, environment, parse, read_file, trust_problem, untrusted},
};
use clap::ValueEnum;
use mgp_discovery::{
    config::ConfigError,
    locate::{ConfigFile, Environment, config_file},
};
use serde::Serialize;

/// A file by the name with which commands name it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum FileName {
    /// The configuration
    #[default]
    Configuration,
    /// The policy file, which access.policy_file of the configuration names
    Policy,
}

impl FileName {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Configuration => "configuration",
            Self::Policy => "policy",
        }
    }
}

/// A file of the configuration, as it was read.
#[derive(Debug)]
pub(super) struct NamedFile {
    pub(super) name: FileName,
    pub(super) file: ConfigFile,
    pub(super) content: Result<Vec<u8>, ConfigError>,
    /// The reason why the file may not be used, although it can be read.
    pub(super) untrusted: Option<String>,
}

/// The files of the configuration that is found.
#[derive(Debug)]
pub(super) struct ConfigurationFiles {
    pub(super) environment: Environment,
    /// The configuration, if it can be used.
    pub(super) loaded: Option<LoadedConfig>,
    /// The problems of the configuration, if it cannot be used.
    pub(super) problems: Vec<PlacedProblem>,
    pub(super) files: Vec<NamedFile>,
}

impl ConfigurationFiles {
    /// Finds and reads the configuration, and the policy file that it names. The policy file of a configuration that is not trusted is not
    /// read: anybody may have chosen its path.
    ///
    /// # Errors
    /// If there is no configuration.
    pub(super) fn find(options: &Options) -> Result<Self, CliError> {
        if options.demo {
            return Err(CliError::new(Exit::NotFound, "the demo has no configuration file")
                .help("leave out --demo, or name a file with --config"));
        }
        let environment = environment(options)?;
        let Some(file) = config_file(&environment, &|path| path.is_file()) else {
            return Err(CliError::new(Exit::NotFound, "there is no configuration")
                .help("`mgp init` or `mgp connect` makes one; --config names another"));
        };
        if file.path.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
            let path = file.path.display();
            return Err(CliError::new(Exit::NotFound, format!("there is no file {path}")).help(format!(
                "`mgp init --config {path}` makes it; check the path in --config or MGP_CONFIG_PATH"
            )));
        }
        let whole = NamedFile::read(&environment, options, FileName::Configuration, file);
        let (loaded, problems) = match &whole.content {
            Ok(bytes) => match parse(&environment, whole.file.clone(), bytes) {
                Ok(loaded) => (Some(loaded), Vec::new()),
                Err(error) => (None, error.into_problems()),
            },
            Err(_) => (None, Vec::new()),
        };
        let policy = loaded.as_ref().filter(|_| whole.untrusted.is_none());
        let policy = policy.and_then(|loaded| {
            let path = loaded.policy.as_ref()?.path().to_owned();
            let file = ConfigFile { path, origin: whole.file.origin };
            Some(NamedFile::read(&environment, options, FileName::Policy, file))
        });
        let files = [Some(whole), policy].into_iter().flatten().collect();
        Ok(Self { environment, loaded, problems, files })
    }

    /// Returns a file by its name.
    ///
    /// # Errors
    /// If the configuration names no such file.
    pub(super) fn file(&self, name: FileName) -> Result<&NamedFile, CliError> {
        self.files.iter().find(|file| file.name == name).ok_or_else(|| {
            let problem = "there is no policy file: the configuration names none that may be used";
            CliError::new(Exit::NotFound, problem)
                .help("write its path into access.policy_file of the configuration")
        })
    }
}

impl NamedFile {
    fn read(environment: &Environment, options: &Options, name: FileName, file: ConfigFile) -> Self {
        let content = read_file(&file.path);
        let bytes = content.as_deref().ok().filter(|_| !options.trust);
        let untrusted = bytes.and_then(|bytes| trust_problem(environment, &file, bytes));
        Self { name, file, content, untrusted }
    }

    /// Returns the content; nothing of a file that cannot be read.
    pub(super) fn bytes(&self) -> &[u8] {
        self.content.as_deref().unwrap_or_default()
    }

    /// Returns the problems that the file has besides those of its text.
    pub(super) fn own_problems(&self) -> Vec<PlacedProblem> {
        let untrusted = self.untrusted.as_deref().map(untrusted);
        let unread = self.content.as_ref().err().map(|error| {
            let source = std::error::Error::source(error).map(|source| format!(": {source}"));
            CliError::failed(format!("{error}{}", source.unwrap_or_default()))
        });
        untrusted.into_iter().chain(unread).flat_map(CliError::into_problems).collect()
    }
}
