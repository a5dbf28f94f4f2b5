//! The facts that several checks need.

use crate::options::Options;
use mgp_discovery::{
    config::{Config, Secret, ServerConfig},
    locate::{ConfigFile, Environment},
};
use mgp_transport::child::ChildCommand;
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

/// The shortest value that is masked, in bytes. Shorter ones are words of any text.
const MIN_SECRET: usize = 6;

/// The facts that several checks need.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) options: Options,
    pub(super) environment: Environment,
    /// The configuration file that is found.
    pub(super) file: Option<ConfigFile>,
    /// The configuration, if it can be used.
    pub(super) config: Option<Config>,
    /// The state folder, which may not exist; `None` if the account has no folder for state.
    pub(super) state: Option<PathBuf>,
    /// The path of this program, without links.
    pub(super) program: PathBuf,
    /// The names on the command line. Without any, everything is checked.
    pub(super) names: Vec<String>,
    /// The search path of the user's login shell.
    pub(super) shell_path: Option<OsString>,
    /// The variables of the login shell that the configuration names and the shell does not set.
    pub(super) unset_in_shell: Vec<String>,
}

impl Context {
    /// Returns whether a name is checked.
    pub(super) fn includes(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|given| given == name)
    }

    /// Returns the enabled servers that are checked.
    pub(super) fn servers(&self) -> impl Iterator<Item = &ServerConfig> {
        let all = self.includes("servers");
        let enabled = self.config.iter().flat_map(Config::enabled);
        enabled.filter(move |server| all || self.includes(&server.id))
    }

    /// Returns the search path of this process.
    pub(super) fn search_path(&self) -> OsString {
        self.environment.variable("PATH").unwrap_or_default().into()
    }

    /// Returns the texts that are never shown: the secrets of the configuration, and the values of variables that are named like secrets.
    pub(super) fn secrets(&self) -> Vec<String> {
        let servers = self.config.iter().flat_map(|config| &config.servers);
        let of_servers = servers.flat_map(|server| {
            let auth = server.auth.iter().flat_map(|auth| {
                let client = auth.oauth.as_ref().and_then(|oauth| oauth.client_secret.as_ref());
                [auth.bearer.as_ref(), auth.api_key.as_ref(), client].into_iter().flatten()
            });
            server.env.values().chain(server.headers.values()).chain(auth)
        });
        let of_servers = of_servers.map(Secret::reveal);
        let variables = self.environment.variables.iter();
        let of_variables = variables.filter(|(name, _)| ChildCommand::names_secret(name));
        let all = of_servers.chain(of_variables.map(|(_, value)| value.as_str()));
        let mut secrets: Vec<String> =
            all.filter(|text| text.len() >= MIN_SECRET).map(str::to_owned).collect();
        // A secret that contains another is masked as a whole.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets.dedup();
        secrets
    }
}

/// Returns a text with secrets replaced.
pub(super) fn masked(text: &str, secrets: &[String]) -> String {
    secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "***"))
}

/// Returns a path as a word of a shell's command.
pub(super) fn word(path: &Path) -> String {
    mgp_kernel::command_word(&path.display().to_string()).into_owned()
}

/// Returns the command that opens a file in an editor, at a line.
pub(super) fn edit(path: &Path, line: usize) -> String {
    format!("${{EDITOR:-vi}} +{line} {}", word(path))
}

/// The most words that a command is completed with.
const MAX_WORDS: usize = 8;

/// Returns a command with words, or the command that mends all findings of a part if there are too many words.
pub(super) fn with_words(command: &str, words: &[String], part: &str) -> String {
    match words.len() {
        0..=MAX_WORDS => format!("{command} {}", words.join(" ")),
        _ => format!("mgp doctor --fix {part}"),
    }
}
