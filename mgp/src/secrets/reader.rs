//! The secrets of this account.

use super::program;
use crate::{
    error::CliError,
    options::Options,
    setup::{environment, trust_folder},
};
use async_trait::async_trait;
use mgp_discovery::{
    config::{MAX_SECRET, SecretReader, SecretSource},
    locate::{ConfigFile, Environment, Origin, user_config_file},
};
use mgp_store::{private_file::PrivateFile, secrets::SecretStore};
use std::{io, path::Path};

/// The secrets of this account: its store, its files, and commands that print secrets.
#[derive(Debug, Clone)]
pub(crate) struct AccountSecrets {
    store: SecretStore,
    /// False for the configuration of a project, which runs no commands: its author may not be the user.
    runs_commands: bool,
}

impl AccountSecrets {
    /// Returns the secrets for a command without a configuration.
    pub(crate) fn of_command(options: &Options) -> Result<Self, CliError> {
        Self::new(&environment(options)?, None)
    }

    /// Returns the secrets that a configuration may use.
    pub(crate) fn new(environment: &Environment, file: Option<&ConfigFile>) -> Result<Self, CliError> {
        // A configuration does not choose the store: the secrets belong to the account.
        let store = SecretStore::in_folder(&trust_folder(environment)?);
        Ok(Self { store, runs_commands: file.is_none_or(|file| !is_of_project(file, environment)) })
    }

    /// Returns the secrets that are stored in a folder.
    #[cfg(test)]
    pub(crate) fn in_folder(folder: &Path) -> Self {
        Self { store: SecretStore::in_folder(folder), runs_commands: true }
    }

    /// Returns whether the configuration may run commands: a project's may not.
    pub(crate) const fn runs_commands(&self) -> bool {
        self.runs_commands
    }

    pub(crate) fn store(&self) -> &SecretStore {
        &self.store
    }

    /// Returns the error of the store.
    pub(crate) fn failed(&self, error: &io::Error) -> CliError {
        CliError::failed(self.problem(error))
    }

    fn problem(&self, error: &io::Error) -> String {
        format!("failed to use the secrets in {}: {error}", self.store.path().display())
    }

    fn stored(&self, name: &str) -> Result<String, String> {
        let secret = self.store.get(name).map_err(|error| self.problem(&error))?;
        let secret = secret
            .ok_or_else(|| format!("no secret {name:?} is stored: set it with `mgp secrets set {name}`"))?;
        // An earlier version stored any text.
        match unusable(&secret) {
            None => Ok(secret),
            Some(problem) => Err(format!(
                "the stored secret {name:?} {problem}: set it again with `mgp secrets set {name}`"
            )),
        }
    }

    fn in_file(file: &PrivateFile) -> Result<String, String> {
        let path = file.path().display();
        match file.read_private(MAX_SECRET) {
            Ok(Some(content)) => text(content, &format!("the file {path}")),
            Ok(None) => Err(format!("there is no file {path}: make it, with access only for this account")),
            Err(error) => Err(format!("failed to read the secret in {path}: {error}")),
        }
    }
}

#[async_trait]
impl SecretReader for AccountSecrets {
    async fn read(&self, source: &SecretSource) -> Result<String, String> {
        let blocking: Box<dyn FnOnce() -> Result<String, String> + Send> = match source {
            SecretSource::Command(_) if !self.runs_commands => {
                return Err(format!(
                    "{source} is in the file of a project, which runs no commands for secrets: store the secret with `mgp secrets set NAME`, \
                     and write ${{keyring:NAME}}"
                ));
            }
            SecretSource::Command(words) => {
                let output = Box::pin(program::output(words, program::LIMIT)).await?;
                return text(output, &format!("the output of {source}"));
            }
            SecretSource::Keyring(name) => {
                let (secrets, name) = (self.clone(), name.clone());
                Box::new(move || secrets.stored(&name))
            }
            SecretSource::File(path) => {
                let file = PrivateFile::new(path);
                Box::new(move || Self::in_file(&file))
            }
        };
        tokio::task::spawn_blocking(blocking).await.map_err(|error| error.to_string())?
    }
}

/// Returns the reason why a text cannot be a secret, as the rest of a sentence.
pub(crate) fn unusable(secret: &str) -> Option<String> {
    match secret.len() {
        0 => Some("is empty: expected a text".to_owned()),
        length if length > MAX_SECRET => {
            Some(format!("is too long: it has {length} bytes, expected at most {MAX_SECRET}"))
        }
        _ => secret.contains('\0').then(|| "holds a NUL character: expected none".to_owned()),
    }
}

/// Returns the secret that a file or a program holds: its text, without the line break at its end.
pub(crate) fn text(content: Vec<u8>, of: &str) -> Result<String, String> {
    let mut text = String::from_utf8(content).map_err(|_| format!("{of} is not UTF-8 text"))?;
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    if text.is_empty() {
        return Err(format!("{of} is empty: expected a secret"));
    }
    Ok(text)
}

/// Returns whether a file is a project's, also where a host's entry names it.
fn is_of_project(file: &ConfigFile, environment: &Environment) -> bool {
    let folder = |path: &Path| path.parent().map(Path::to_owned);
    let is_in_settings =
        || user_config_file(environment).is_some_and(|own| folder(&own) == folder(&file.path));
    file.origin == Origin::Project
        || (file.path.file_name().is_some_and(|name| name == "mgp.toml") && !is_in_settings())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use mgp_discovery::locate::Platform;
    use std::{fs, os::unix::fs::PermissionsExt, path::Path};

    fn secrets(folder: &Path, runs_commands: bool) -> AccountSecrets {
        AccountSecrets { store: SecretStore::in_folder(folder), runs_commands }
    }

    #[tokio::test]
    async fn a_secret_file_is_private_text_without_its_line_break() {
        let folder = tempfile::tempdir().unwrap();
        let secrets = secrets(folder.path(), true);
        let path = folder.path().join("key");
        let source = SecretSource::File(path.clone());
        let missing = secrets.read(&source).await.unwrap_err();
        assert!(missing.contains("there is no file") && missing.contains("make it"), "{missing}");
        let large = vec![b'x'; MAX_SECRET + 1];
        for (content, mode, expected) in [
            (&b"a\nb\r\n"[..], 0o600, Ok("a\nb")),
            (b"a\n\n", 0o400, Ok("a\n")),
            (b"\n", 0o600, Err("is empty")),
            (b"\xff", 0o600, Err("is not UTF-8")),
            (b"a", 0o644, Err("chmod 600")),
            (&large, 0o600, Err("longer than")),
        ] {
            let _ = fs::remove_file(&path);
            fs::write(&path, content).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            match (secrets.read(&source).await, expected) {
                (Ok(secret), Ok(expected)) => assert_eq!(secret, expected),
                (Err(error), Err(expected)) => assert!(error.contains(expected), "{error}"),
                other => panic!("{other:?}"),
            }
        }
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/etc/hostname", &path).unwrap();
        assert!(secrets.read(&source).await.unwrap_err().contains("symbolic link"));
    }

    #[tokio::test]
    async fn only_the_user_s_own_configuration_runs_commands() {
        let folder = tempfile::tempdir().unwrap();
        let source = SecretSource::Command(vec!["printf".to_owned(), "hush\n".to_owned()]);
        assert_eq!(secrets(folder.path(), true).read(&source).await.unwrap(), "hush");
        let error = secrets(folder.path(), false).read(&source).await.unwrap_err();
        assert!(error.contains("runs no commands") && !error.contains("hush"), "{error}");
    }

    #[test]
    fn a_project_s_file_is_one_also_where_a_host_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let environment = Environment {
            cwd: folder.path().to_owned(),
            home: Some(folder.path().to_owned()),
            config_dir: Some(folder.path().join("settings")),
            state_dir: None,
            platform: Platform::Linux,
            variables: Default::default(),
        };
        let own = user_config_file(&environment).unwrap().with_file_name("mgp.toml");
        for (path, origin, expected) in [
            (folder.path().join("project/mgp.toml"), Origin::Project, true),
            (folder.path().join("project/mgp.toml"), Origin::Named, true),
            (folder.path().join("project/servers.toml"), Origin::Named, false),
            (own, Origin::Named, false),
        ] {
            let file = ConfigFile { path, origin };
            assert_eq!(is_of_project(&file, &environment), expected, "{file:?}");
        }
    }
}
