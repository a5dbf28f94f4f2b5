//! The output of `mgp servers explain --json`, as far as the page shows it.

use serde::Deserialize;

/// The confinement of a server's process. A server that is not a process of the gateway has no mode.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Explanation {
    pub(super) mode: Option<String>,
    pub(super) reason: String,
    pub(super) private_folder: Option<String>,
    pub(super) files: Vec<FileRule>,
    pub(super) network: ExplainedPart,
    pub(super) listening: ExplainedPart,
    pub(super) limits: String,
    pub(super) machine: Machine,
    /// The handling of secrets in results.
    pub(super) secrets: Option<String>,
}

/// A file that the server may use, or that it must not use.
#[derive(Debug, Deserialize)]
pub(super) struct FileRule {
    pub(super) path: String,
    pub(super) access: String,
    #[serde(default)]
    pub(super) reason: String,
}

/// A part of the confinement, with the reason for it.
#[derive(Debug, Default, Deserialize)]
pub(super) struct ExplainedPart {
    pub(super) may: String,
    pub(super) reason: String,
}

/// The means of the machine to confine a process.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Machine {
    pub(super) runner_in_words: String,
    pub(super) landlock: String,
    pub(super) missing: Vec<String>,
}
