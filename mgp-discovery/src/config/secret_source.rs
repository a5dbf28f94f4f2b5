//! `${keyring:NAME}`, `${file:PATH}` and `${command:PROGRAM ARGS}`: secrets that are outside of the configuration, and are read when they are
//! needed.

use async_trait::async_trait;
use std::{
    fmt,
    path::{Path, PathBuf},
};

/// The largest secret, in bytes: the longest value that a configuration can hold.
pub const MAX_SECRET: usize = 32 * 1024;

/// The longest name of a stored secret, in bytes.
const MAX_NAME: usize = 128;

/// A place outside of the configuration that holds a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretSource {
    /// The store of secrets, under this name.
    Keyring(String),
    /// A file that only this account can read.
    File(PathBuf),
    /// The output of a program, which is started without a shell: its name, and its arguments.
    Command(Vec<String>),
}

impl SecretSource {
    /// Returns the kind and the rest of a text such as `keyring:NAME`; `None` if it names a variable, as `file:-default` does.
    pub(super) fn split(inner: &str) -> Option<(&str, &str)> {
        let (kind, rest) = inner.split_once(':')?;
        (matches!(kind, "keyring" | "file" | "command") && !rest.starts_with('-')).then_some((kind, rest))
    }

    /// Reads a source. `expand` replaces the variables in a path and in arguments.
    pub(super) fn read<E: From<String>>(
        kind: &str,
        rest: &str,
        expand: impl Fn(&str) -> Result<String, E>,
    ) -> Result<Self, E> {
        match kind {
            "keyring" => {
                secret_name(rest).map_err(|problem| {
                    format!("{problem}; store it under such a name with `mgp secrets set NAME`")
                })?;
                Ok(Self::Keyring(rest.to_owned()))
            }
            "file" => {
                let path = PathBuf::from(expand(rest)?);
                if !path.is_absolute() {
                    let problem = format!("the path {:?} is relative: expected a whole one", path.display());
                    return Err(format!("{problem}, such as ${{file:${{HOME}}/.keys/github}}").into());
                }
                Ok(Self::File(path))
            }
            _ => {
                // Split first, so that the value of a variable is always one word.
                let words = shlex::split(rest).ok_or_else(|| "a quotation mark is not closed".to_owned())?;
                let words = words.iter().map(|word| expand(word)).collect::<Result<Vec<_>, _>>()?;
                if words.first().is_none_or(String::is_empty) {
                    return Err("expected a program, such as ${command:pass show github}".to_owned().into());
                }
                Ok(Self::Command(words))
            }
        }
    }
}

impl fmt::Display for SecretSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Keyring(name) => write!(f, "${{keyring:{name}}}"),
            Self::File(path) => write!(f, "${{file:{}}}", path.display()),
            // Arguments may hold a secret, too.
            Self::Command(words) => {
                let program = words.first().map_or("", |word| word.as_str());
                let name =
                    Path::new(program).file_name().map_or(program.into(), |name| name.to_string_lossy());
                write!(f, "${{command:{name}}}")
            }
        }
    }
}

/// Checks that a text can be the name of a stored secret.
///
/// # Errors
/// A sentence that states the rule.
pub fn secret_name(name: &str) -> Result<(), String> {
    let is_legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if (1..=MAX_NAME).contains(&name.len())
        && name.chars().all(is_legal)
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
    {
        return Ok(());
    }
    let shown: String = name.chars().take(48).collect();
    Err(format!(
        "{shown:?} is not the name of a secret: expected 1 to {MAX_NAME} letters, digits, '.', '_' and '-', with a letter or digit first"
    ))
}

/// A reader of secrets that are outside of the configuration.
#[async_trait]
pub trait SecretReader: fmt::Debug + Send + Sync {
    /// Reads a secret. It bounds its time, and the length of the secret.
    ///
    /// # Errors
    /// A sentence that states the reason and the remedy, without the secret.
    async fn read(&self, source: &SecretSource) -> Result<String, String>;
}
