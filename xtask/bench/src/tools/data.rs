//! The source of tools and queries.

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};
use xtask_install::{is_strict, workspace};

/// The sets of queries.
const SETS: [&str; 3] = ["metatool", "bfcl", "sealtools"];

/// Returns the folder of data. A missing folder is reported, and returns `None`.
pub(crate) fn shared() -> Result<Option<PathBuf>, String> {
    let folder = workspace::root().join("../shared");
    if folder.join("data/tools").is_dir() {
        return Ok(Some(folder));
    }
    if is_strict() {
        return Err("../shared/data is not here: CI needs it".to_owned());
    }
    eprintln!("skipped: ../shared/data is not here");
    Ok(None)
}

/// Reads the requests of people, from each of the sets in turn.
pub(crate) fn queries(shared: &Path, count: usize) -> Result<Vec<String>, String> {
    #[derive(Deserialize)]
    struct Line {
        query: String,
    }
    let mut sets = Vec::new();
    for set in SETS {
        sets.push(lines::<Line>(&shared.join("data/eval").join(set).join("queries.jsonl"))?.into_iter());
    }
    let turns = (0..count).filter_map(|turn| sets.get_mut(turn % SETS.len())?.next());
    Ok(turns.map(|line| line.query).collect())
}

/// Reads the descriptions of the tools in the sets: the vocabulary of the authors of tools.
pub(super) fn descriptions(shared: &Path) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    for set in SETS {
        let tools: Vec<Value> = lines(&shared.join("data/eval").join(set).join("tools.jsonl"))?;
        all.extend(tools.iter().filter_map(|tool| tool.get("description")?.as_str()).map(str::to_owned));
    }
    Ok(all)
}

fn lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, String> {
    let text =
        fs::read_to_string(path).map_err(|error| format!("failed to read {}: {error}", path.display()))?;
    let parse = |line| serde_json::from_str(line).map_err(|error| format!("{}: {error}", path.display()));
    text.lines().filter(|line| !line.trim().is_empty()).map(parse).collect()
}
