//! Turns a file's text into a configuration.

use super::{
    Config,
    describe::describe,
    error::{ConfigError, Finding, Problem},
    span::{Spans, remove},
    validate,
    variables::misplaced,
};
use miette::NamedSource;
use serde::Deserialize;
use std::{fs::File, io::Read, ops::Range, path::Path, sync::Arc};
use toml::Spanned;

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
    /// Reads a configuration file, with the variables of this process's environment. The file may name servers that the program adds, for example
    /// in grants: [`check`](Self::check), or the start of a kernel, checks these names.
    ///
    /// # Errors
    /// [`ConfigError`]: the file cannot be read, or has problems.
    ///
    /// ```no_run
    /// use mgp_discovery::config::Config;
    ///
    /// let config = Config::read("mgp.toml").unwrap_or_else(|error| {
    ///     for problem in error.problems() {
    ///         eprintln!("{}:{}: {problem}", problem.line(), problem.column());
    ///     }
    ///     panic!("{error}")
    /// });
    /// ```
    pub fn read(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        let path = path.as_ref();
        Self::parse_with(path, &read_bytes(path)?, &|name| std::env::var(name).ok(), validate::values)
    }

    /// Reads a configuration from its text. `name` is the path of the file in error messages, and `env` looks up variables. A server whose
    /// variables are unset or unusable is not an error: it has a [`fault`](crate::config::ServerConfig::fault). Every server that the text names,
    /// for example in grants, is in the text.
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
        Self::parse_with(name, bytes, env, validate::config)
    }

    fn parse_with(
        name: &Path,
        bytes: &[u8],
        env: Lookup<'_>,
        validate: fn(&Self, &mut Vec<Finding>),
    ) -> Result<Self, ConfigError> {
        let size = bytes.len() as u64;
        if size > MAX_FILE_SIZE {
            return Err(ConfigError::TooLarge { path: name.to_owned(), size, limit: MAX_FILE_SIZE });
        }
        let text = std::str::from_utf8(bytes)
            .map_err(|error| ConfigError::NotText { path: name.to_owned(), offset: error.valid_up_to() })?;
        let source = Arc::new(NamedSource::new(name.display().to_string(), text.to_owned()));
        let invalid =
            |problems, is_checked| ConfigError::Invalid { path: name.to_owned(), problems, is_checked };
        let spans = Spans::read(text);
        let misplaced = spans.as_ref().map(|spans| misplaced(spans.table())).unwrap_or_default();
        let place = |found: &Finding| spans.as_ref().map_or(0..0, |spans| spans.of(&found.path));
        let placed = |findings: Vec<Finding>| findings.into_iter().map(|found| (place(&found), found));

        let mut config: Self = toml::from_str(text).map_err(|error| {
            let mut found = mistakes(name, text, error, spans.as_ref());
            // A value with a variable in it has the type of no number or address.
            found.retain(|(_, found)| misplaced.iter().all(|variable| variable.path != found.path));
            found.extend(placed(misplaced.clone()));
            invalid(problems(found, &source), false)
        })?;
        let mut findings = Vec::new();
        config.expand(env, &mut findings);
        let mut checked = Vec::new();
        validate(&config, &mut checked);
        config.take_faults(&mut checked);
        // A check that rejects the value has the better message.
        let misplaced =
            misplaced.into_iter().filter(|found| checked.iter().all(|other| other.path != found.path));
        findings.extend(misplaced);
        findings.append(&mut checked);
        if findings.is_empty() {
            return Ok(config);
        }
        Err(invalid(problems(placed(findings).collect(), &source), true))
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

/// Returns the problems with their places, in the order of the text.
fn problems(mut found: Vec<(Range<usize>, Finding)>, source: &Arc<NamedSource<String>>) -> Vec<Problem> {
    found.sort_by_key(|(span, _)| span.start);
    // Line and column are counted from the top of the file, so only for the problems that are shown.
    found.truncate(MAX_PROBLEMS);
    found.into_iter().map(|(span, found)| Problem::new(found, span, source)).collect()
}

/// Returns the mistakes because of which a text is not a configuration: the first one, and those that are found without the values of the
/// earlier ones.
fn mistakes(
    name: &Path,
    text: &str,
    first: toml::de::Error,
    spans: Option<&Spans<'_>>,
) -> Vec<(Range<usize>, Finding)> {
    let (mut found, mut next) = (Vec::new(), Some(first));
    let mut rest = spans.map(|spans| spans.table().clone()).unwrap_or_default();
    while let Some(error) = next.take().filter(|_| found.len() < MAX_PROBLEMS) {
        let (finding, span) = describe(name, text, &error);
        let lacks = error.message().strip_prefix("missing field `").and_then(|rest| rest.split('`').next());
        // A value that was left out is not missing.
        let is_left_out = lacks.is_some_and(|key| {
            let path = finding.path.key(key);
            found.iter().any(|(_, earlier): &(Range<usize>, Finding)| earlier.path == path)
        });
        let is_removed = remove(&mut rest, &span);
        if !is_left_out {
            found.push((span, finding));
        }
        if is_removed {
            let whole = Spanned::new(0..text.len(), rest.clone());
            next = Config::deserialize(toml::de::Deserializer::from(whole)).err();
        }
    }
    found
}
