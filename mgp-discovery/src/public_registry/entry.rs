//! One server, as a registry describes it.

use super::input::{Argument, Input};
use mgp_types::json::{RawJson, RawObject};
use serde::Deserialize;
use std::collections::BTreeMap;

/// One server, as a registry describes it. What is not known here is passed over.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Entry {
    /// Its name, a reverse-domain name and what it is called there: `io.github.ann/notes`.
    pub name: String,
    /// Its name for people.
    pub title: Option<String>,
    /// What it does.
    pub description: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Where more is said of it.
    #[serde(alias = "website_url")]
    pub website_url: Option<String>,
    /// The packages that it comes in.
    pub packages: Option<Vec<Package>>,
    /// Where it runs already.
    pub remotes: Option<Vec<Remote>>,
    /// Whether it should still be used.
    #[serde(skip)]
    pub status: EntryStatus,
    /// Whether there is no newer version; none where the registry does not say.
    #[serde(skip)]
    pub is_latest: Option<bool>,
}

/// Whether a server should still be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EntryStatus {
    /// It should.
    #[default]
    Active,
    /// There is something better.
    Deprecated,
    /// It is gone.
    Deleted,
}

impl EntryStatus {
    /// What registries call it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Deprecated => "deprecated",
            Self::Deleted => "deleted",
        }
    }
}

/// A package that a server comes in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Package {
    /// What kind of package: `npm`, `pypi`, `oci`, ...
    #[serde(alias = "registry_type")]
    pub registry_type: String,
    /// The registry of packages that has it.
    #[serde(alias = "registry_base_url")]
    pub registry_base_url: Option<String>,
    /// Its name there.
    pub identifier: String,
    /// Its version.
    pub version: Option<String>,
    /// The program that runs it.
    #[serde(alias = "runtime_hint")]
    pub runtime_hint: Option<String>,
    /// How it is spoken to.
    pub transport: Option<PackageTransport>,
    /// What that program gets.
    #[serde(alias = "runtime_arguments")]
    pub runtime_arguments: Option<Vec<Argument>>,
    /// What the server itself gets.
    #[serde(alias = "package_arguments")]
    pub package_arguments: Option<Vec<Argument>>,
    /// Its environment.
    #[serde(alias = "environment_variables")]
    pub environment_variables: Option<Vec<Input>>,
}

/// How a package is spoken to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct PackageTransport {
    /// `stdio`, `streamable-http` or `sse`.
    #[serde(rename = "type")]
    pub kind: String,
}

/// Where a server runs already.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct Remote {
    /// `streamable-http` or `sse`.
    #[serde(rename = "type", alias = "transport_type")]
    pub kind: String,
    /// Its address. `{name}` stands for one of `variables`.
    pub url: String,
    /// Headers that it wants.
    pub headers: Option<Vec<Input>>,
    /// What stands for the names in `url`.
    pub variables: Option<BTreeMap<String, Input>>,
}

/// Where the registry's own word on an entry stands.
const OFFICIAL: &str = "io.modelcontextprotocol.registry/official";

impl Entry {
    /// Reads an entry: the server itself, or the registry's word on it with the server inside.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn read(json: &RawJson) -> Result<Self, String> {
        let outer = RawObject::from_json(json).map_err(|error| error.to_string())?;
        let inner = outer.object("server");
        let server = inner.as_ref().unwrap_or(&outer);
        let mut entry: Self = server.to_json().decode().map_err(|error| error.to_string())?;
        if entry.name.is_empty() {
            return Err("it has no name".to_owned());
        }
        let said = outer.object("_meta").and_then(|meta| meta.object(OFFICIAL)).unwrap_or_default();
        let status = said.text("status").or_else(|| server.text("status"));
        entry.status = match status.as_deref() {
            Some("deprecated") => EntryStatus::Deprecated,
            Some("deleted") => EntryStatus::Deleted,
            _ => EntryStatus::Active,
        };
        entry.is_latest = said.decode("isLatest").ok().flatten();
        if entry.version.is_none() {
            // Before it stood at the top.
            entry.version = server.object("version_detail").and_then(|detail| detail.text("version"));
        }
        Ok(entry)
    }
}
