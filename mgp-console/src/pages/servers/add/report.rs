//! The output of `mgp registry`, `mgp add` and `mgp servers add`, as far as the page shows it.

use serde::Deserialize;

/// The entries that match a search.
#[derive(Debug, Deserialize)]
pub(super) struct SearchReport {
    pub(super) servers: Vec<EntryRow>,
    #[serde(default)]
    pub(super) more: bool,
}

/// An entry of a registry.
#[derive(Debug, Deserialize)]
pub(super) struct EntryRow {
    pub(super) name: String,
    #[serde(default)]
    pub(super) version: Option<String>,
    #[serde(default)]
    pub(super) title: Option<String>,
    #[serde(default)]
    pub(super) description: Option<String>,
    #[serde(default)]
    pub(super) status: String,
    #[serde(default)]
    pub(super) comes_as: Vec<String>,
}

/// An entry of a registry, with the ways to run or reach its server.
#[derive(Debug, Deserialize)]
pub(super) struct EntryReport {
    pub(super) name: String,
    #[serde(default)]
    pub(super) version: Option<String>,
    #[serde(default)]
    pub(super) description: Option<String>,
    #[serde(default)]
    pub(super) status: String,
    #[serde(default)]
    pub(super) ways: Vec<WayReport>,
}

/// A way to run or reach a server.
#[derive(Debug, Deserialize)]
pub(super) struct WayReport {
    pub(super) title: String,
    /// The entry for the configuration; `None` if the way cannot be used.
    #[serde(default)]
    pub(super) toml: Option<String>,
    #[serde(default)]
    pub(super) needs: Vec<Need>,
    /// The reason that the way cannot be used.
    #[serde(default)]
    pub(super) reason: Option<String>,
}

/// A value that a server asks for.
#[derive(Debug, Deserialize)]
pub(super) struct Need {
    /// The name with which `--set` gives the value; otherwise, that is the variable.
    #[serde(default)]
    of: Option<String>,
    variable: String,
    #[serde(default)]
    pub(super) what: String,
    #[serde(default)]
    pub(super) required: bool,
    #[serde(default)]
    pub(super) secret: bool,
}

impl Need {
    /// Returns the name with which `--set` gives the value.
    pub(super) fn name(&self) -> &str {
        self.of.as_deref().unwrap_or(&self.variable)
    }
}

/// The server that `mgp add` shows or writes.
#[derive(Debug, Deserialize)]
pub(super) struct AddReport {
    pub(super) id: String,
    #[serde(default)]
    pub(super) title: String,
    /// The command or the URL.
    #[serde(default)]
    pub(super) runs: String,
    /// The missing values, each with the way to give it.
    #[serde(default)]
    pub(super) needs: Vec<String>,
    #[serde(default)]
    pub(super) tried: Option<TriedServer>,
    #[serde(default)]
    pub(super) file: String,
    #[serde(default)]
    pub(super) written: bool,
    #[serde(default)]
    pub(super) remarks: Vec<String>,
}

/// The offers of a server that was tried.
#[derive(Debug, Deserialize)]
pub(super) struct TriedServer {
    #[serde(default)]
    pub(super) tools: Vec<TriedTool>,
    /// The permissions that the server declares.
    #[serde(default)]
    pub(super) permissions: Vec<String>,
}

/// A tool of a server that was tried.
#[derive(Debug, Deserialize)]
pub(super) struct TriedTool {
    pub(super) name: String,
    #[serde(default)]
    pub(super) description: String,
    #[serde(default)]
    pub(super) risk: String,
}

/// A server that was registered, or that would be.
#[derive(Debug, Deserialize)]
pub(super) struct RegisteredServer {
    pub(super) id: String,
    /// The command or the URL.
    #[serde(default)]
    pub(super) runs: String,
    /// The names of the variables that are set.
    #[serde(default)]
    pub(super) variables: Vec<String>,
    #[serde(default)]
    pub(super) trust_level: String,
    /// The permissions that wait for a decision.
    #[serde(default)]
    pub(super) waits_for: Vec<String>,
    /// The remarks about its program.
    #[serde(default)]
    pub(super) remarks: Vec<String>,
}
