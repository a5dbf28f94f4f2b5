//! Turns a file's text into a configuration.

use super::{
    Config,
    describe::describe,
    error::{ConfigError, Finding, Problem},
    span::Spans,
    validate,
};
use miette::NamedSource;
use std::{fs::File, io::Read, path::Path, sync::Arc};

/// The largest configuration file that is read, in bytes.
pub const MAX_FILE_SIZE: u64 = 1024 * 1024;

/// The most problems of one file that are reported at once.
pub(super) const MAX_PROBLEMS: usize = 20;

/// A function that looks up an environment variable.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Reads the bytes of a configuration file, so that the trust in the file can be checked before its content is used.
///
/// # Errors
/// [`ConfigError::Read`] or [`ConfigError::TooLarge`].
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, ConfigError> {
    let read = |source| ConfigError::Read { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    // One byte more than the limit distinguishes a file that grows during the read from one that fits.
    let mut file = File::open(path).map_err(read)?;
    file.by_ref().take(MAX_FILE_SIZE + 1).read_to_end(&mut bytes).map_err(read)?;
    if bytes.len() as u64 > MAX_FILE_SIZE {
        let size = file.metadata().map_or(bytes.len() as u64, |file| file.len());
        return Err(ConfigError::TooLarge { path: path.to_owned(), size, limit: MAX_FILE_SIZE });
    }
    Ok(bytes)
}

impl Config {
    /// Reads a configuration. `name` is the path of the file in error messages. A server whose variables are unset or unusable is not an
    /// error: it has a [`fault`](crate::config::ServerConfig::fault).
    ///
    /// # Errors
    /// [`ConfigError`] with the problems and their places.
    ///
    /// ```
    /// use mgp_discovery::config::Config;
    /// let text = "[[servers]]\nid = \"time\"\ncommand = \"uvx\"\nargs = [\"mcp-server-time\"]\n";
    /// let config = Config::parse("mgp.toml".as_ref(), text.as_bytes(), &|_| None)?;
    /// assert_eq!(config.servers[0].id, "time");
    /// # Ok::<(), mgp_discovery::config::ConfigError>(())
    /// ```
    pub fn parse(name: &Path, bytes: &[u8], env: Lookup<'_>) -> Result<Self, ConfigError> {
        let size = bytes.len() as u64;
        if size > MAX_FILE_SIZE {
            return Err(ConfigError::TooLarge { path: name.to_owned(), size, limit: MAX_FILE_SIZE });
        }
        let text = std::str::from_utf8(bytes)
            .map_err(|error| ConfigError::NotText { path: name.to_owned(), offset: error.valid_up_to() })?;
        let source = Arc::new(NamedSource::new(name.display().to_string(), text.to_owned()));
        let invalid = |problems| ConfigError::Invalid { path: name.to_owned(), problems };

        let mut config: Self = toml::from_str(text).map_err(|error| {
            let (found, span) = describe(name, text, &error);
            invalid(vec![Problem::new(found, span, &source)])
        })?;
        let mut findings = Vec::new();
        config.expand(env, &mut findings);
        let mut checked = Vec::new();
        validate::config(&config, &mut checked);
        config.take_faults(&mut checked);
        findings.append(&mut checked);
        if findings.is_empty() {
            return Ok(config);
        }
        let spans = Spans::read(text);
        let place = |found: &Finding| spans.as_ref().map_or(0..0, |spans| spans.of(&found.path));
        let mut placed: Vec<_> = findings.into_iter().map(|found| (place(&found), found)).collect();
        placed.sort_by_key(|(span, _)| span.start);
        // Line and column are counted from the top of the file, so only for the problems that are shown.
        placed.truncate(MAX_PROBLEMS);
        let problems = placed.into_iter().map(|(span, found)| Problem::new(found, span, &source)).collect();
        Err(invalid(problems))
    }

    /// Checks the values of a configuration that a program made or changed, like those of a file, except for the upper bounds of numbers.
    /// `servers` are the ids of the servers that the configuration may name in addition to its own.
    ///
    /// # Errors
    /// The problems, as text.
    ///
    /// ```
    /// use mgp_discovery::config::Config;
    /// let mut config = Config::default();
    /// config.kernel.search_results = 0;
    /// let error = config.check(&[]).unwrap_err();
    /// assert_eq!(error, "kernel.search_results: 0 is out of bounds: expected 1 to 50");
    /// ```
    pub fn check(&self, servers: &[&str]) -> Result<(), String> {
        let mut findings = Vec::new();
        validate::config_of_program(self, servers, &mut findings);
        if !findings.is_empty() {
            // A variable with an unusable value only disables its server.
            self.clone().take_faults(&mut findings);
        }
        if findings.is_empty() {
            return Ok(());
        }
        let problems = findings.iter().take(MAX_PROBLEMS);
        Err(problems.map(|found| format!("{}: {}", found.path, found.message)).collect::<Vec<_>>().join("; "))
    }
}
