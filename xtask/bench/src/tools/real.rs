//! Tools as real servers list them.

use serde::Deserialize;
use serde_json::Value;
use std::{fs, path::Path};

/// A tool and its server.
#[derive(Debug, Clone)]
pub(crate) struct RealTool {
    pub(crate) server: String,
    pub(crate) definition: Value,
}

#[derive(Deserialize)]
struct Server {
    server: String,
    tools: Vec<Value>,
}

/// Reads every tool of every server, the servers by name.
pub(crate) fn real(shared: &Path) -> Result<Vec<RealTool>, String> {
    let folder = shared.join("data/tools");
    let failed = |error: &dyn std::fmt::Display| format!("failed to read {}: {error}", folder.display());
    let entries = fs::read_dir(&folder).map_err(|error| failed(&error))?;
    let mut files: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let mut all = Vec::new();
    for path in files {
        let bytes = fs::read(&path).map_err(|error| failed(&error))?;
        let Server { server, tools } =
            serde_json::from_slice(&bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        all.extend(tools.into_iter().map(|definition| RealTool { server: server.clone(), definition }));
    }
    Ok(all)
}
