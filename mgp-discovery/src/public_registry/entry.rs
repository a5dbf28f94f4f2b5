//! One server, as a registry describes it.

use super::input::{Argument, Input};
use mgp_types::json::{RawJson, RawObject};
use serde::Deserialize;
use std::collections::BTreeMap;

/// One server, as a registry describes it. Unknown members are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Entry {
    /// The server's name: a reverse-domain name and the name below it, such as `io.github.ann/notes`.
    pub name: String,
    /// The server's display name.
    pub title: Option<String>,
    /// The description of the server.
    pub description: Option<String>,
    /// The version of the server.
    pub version: Option<String>,
    /// The address of a page about the server.
    #[serde(alias = "website_url")]
    pub website_url: Option<String>,
    /// The packages that the server comes in.
    pub packages: Option<Vec<Package>>,
    /// The addresses where the server already runs.
    pub remotes: Option<Vec<Remote>>,
    /// The status of the server in the registry.
    #[serde(skip)]
    pub status: EntryStatus,
    /// True if there is no newer version. `None` if the registry does not state it.
    #[serde(skip)]
    pub is_latest: Option<bool>,
}

/// The status of a server in a registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EntryStatus {
    /// The server can be used.
    #[default]
    Active,
    /// The server is still there, but should no longer be used.
    Deprecated,
    /// The server is gone.
    Deleted,
}

impl EntryStatus {
    /// Returns the name of the status, as registries write it.
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
    /// The kind of package: `npm`, `pypi`, `oci`, ...
    #[serde(alias = "registry_type")]
    pub registry_type: String,
    /// The package registry that has the package.
    #[serde(alias = "registry_base_url")]
    pub registry_base_url: Option<String>,
    /// The name of the package there.
    pub identifier: String,
    /// The version of the package.
    pub version: Option<String>,
    /// The program that runs the package.
    #[serde(alias = "runtime_hint")]
    pub runtime_hint: Option<String>,
    /// The transport of the server in the package.
    pub transport: Option<PackageTransport>,
    /// The arguments of the program that runs the package.
    #[serde(alias = "runtime_arguments")]
    pub runtime_arguments: Option<Vec<Argument>>,
    /// The arguments of the server itself.
    #[serde(alias = "package_arguments")]
    pub package_arguments: Option<Vec<Argument>>,
    /// The environment of the server.
    #[serde(alias = "environment_variables")]
    pub environment_variables: Option<Vec<Input>>,
}

/// The transport of a server in a package.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct PackageTransport {
    /// `stdio`, `streamable-http` or `sse`.
    #[serde(rename = "type")]
    pub kind: String,
}

/// An address where a server already runs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct Remote {
    /// `streamable-http` or `sse`.
    #[serde(rename = "type", alias = "transport_type")]
    pub kind: String,
    /// The URL of the server. `{name}` stands for one of `variables`.
    pub url: String,
    /// The headers that the server needs.
    pub headers: Option<Vec<Input>>,
    /// The values for the names in `url`.
    pub variables: Option<BTreeMap<String, Input>>,
}

/// The key of the registry's own metadata about an entry.
const OFFICIAL: &str = "io.modelcontextprotocol.registry/official";

impl Entry {
    /// Reads an entry: the server itself, or the registry's metadata with the server inside.
    ///
    /// # Errors
    /// A sentence that states the problem.
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
            // Older registries have the version here.
            entry.version = server.object("version_detail").and_then(|detail| detail.text("version"));
        }
        Ok(entry)
    }
}
