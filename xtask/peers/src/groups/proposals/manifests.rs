//! The proposals' manifests of well-known services: our types read and write them without loss.

use super::schemas::{self, Schemas};
use crate::{
    rows::{Context, Row},
    workspace,
};
use mgp_types::service_manifest::ServiceManifest;
use serde_json::Value;
use std::fs;

/// The existing manifests.
const SERVICES: [&str; 3] = ["github", "jira", "slack"];

pub(super) fn row() -> Row {
    crate::rows::row("proposals/manifests", &[], run)
        .beside(schemas::folder())
        .beside(workspace::proposals("manifests"))
}

async fn run(_: Context) -> Result<(), String> {
    let schemas = Schemas::read()?;
    for service in SERVICES {
        let path = workspace::proposals(&format!("manifests/{service}-server-manifest.json"));
        let text = fs::read_to_string(&path)
            .map_err(|error| format!("failed to read {}: {error}", path.display()))?;
        same(&schemas, &text).map_err(|error| format!("{service}: {error}"))?;
    }
    Ok(())
}

/// Reads a manifest as our type and writes it, and checks that both are the same and that the metadata of every tool can be read.
fn same(schemas: &Schemas, text: &str) -> Result<(), String> {
    let failed = |error: serde_json::Error| error.to_string();
    let before: Value = serde_json::from_str(text).map_err(failed)?;
    schemas.check("service-manifest", &before)?;
    let manifest: ServiceManifest = serde_json::from_str(text).map_err(failed)?;
    let after = serde_json::to_value(&manifest).map_err(failed)?;
    if before != after {
        return Err(format!("it is written as {after}"));
    }
    for tool in &manifest.tools {
        let name = tool.text("name").unwrap_or_default();
        let reading =
            manifest.metadata_of(&name).ok_or_else(|| format!("{name:?} is not one of its tools"))?;
        if !reading.ignored.is_empty()
            || reading.metadata.risk_level.is_none()
            || reading.metadata.latency.is_none()
        {
            return Err(format!("the metadata of {name:?} are read as {reading:?}"));
        }
    }
    Ok(())
}
