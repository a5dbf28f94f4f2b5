//! The peer for words: bm25s, in Python. Nothing changes its index meanwhile, because it is immutable.

use super::{cached::indexed, measured::Peer};
use crate::tools::Server;
use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};
use tokio::process::Command;
use xtask_install::{PipFolder, is_strict};

const PACKAGES: [&str; 3] = ["bm25s==0.3.16", "numpy==2.4.6", "PyStemmer==3.1.0"];

const SCRIPT: &str = include_str!("bm25s.py");

/// Returns the folder of its packages, and installs them if they are missing. `None` is a reported skip.
pub(super) async fn packages() -> Result<Option<PathBuf>, String> {
    let folder = PipFolder::of_tool("bm25s");
    match folder.ensure(&PACKAGES).await {
        Ok(()) => Ok(Some(folder.path().to_owned())),
        Err(error) if is_strict() => Err(error),
        Err(error) => {
            eprintln!("skipped: bm25s is missing, its column is 0: {error}");
            Ok(None)
        }
    }
}

/// Measures bm25s over the text of these tools.
pub(super) async fn measure(packages: &Path, servers: &[Server], queries: &[String]) -> Result<Peer, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let [script, tools, asked] =
        ["bm25s_bench.py", "tools.jsonl", "queries.jsonl"].map(|name| folder.path().join(name));
    std::fs::write(&script, SCRIPT).map_err(|error| error.to_string())?;
    write(&tools, servers.iter().flat_map(|server| server.tools.iter().map(|json| text(&server.id, json))))?;
    write(&asked, queries.iter().cloned().map(Ok))?;
    let mut command = Command::new("python3");
    command.arg(&script).arg(&tools).arg(&asked).env("PYTHONPATH", packages).kill_on_drop(true);
    let output = command.output().await.map_err(|error| format!("failed to run python3: {error}"))?;
    if !output.status.success() {
        return Err(format!("bm25s failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("bm25s printed no measures: {error}"))
}

/// Returns the text of a tool that our index reads.
fn text(server: &str, json: &mgp_types::json::RawJson) -> Result<String, String> {
    let tool = indexed(server, json)?;
    let text = tool.text();
    let (server, name) = (apart(server), apart(&text.name));
    let fields = [
        &server,
        &name,
        &text.title,
        &text.description,
        &text.parameters,
        &text.parameter_descriptions,
        &text.keywords,
    ];
    Ok(fields.map(String::as_str).join(" "))
}

/// Splits a name into its words.
fn apart(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_uppercase() && out.ends_with(char::is_lowercase) {
            out.push(' ');
        }
        out.push(if matches!(c, '_' | '-' | '.') { ' ' } else { c });
    }
    out
}

fn write(path: &Path, texts: impl Iterator<Item = Result<String, String>>) -> Result<(), String> {
    let failed = |error: &dyn std::fmt::Display| format!("failed to write {}: {error}", path.display());
    let mut file = BufWriter::new(File::create(path).map_err(|error| failed(&error))?);
    for text in texts {
        serde_json::to_writer(&mut file, &text?).map_err(|error| failed(&error))?;
        file.write_all(b"\n").map_err(|error| failed(&error))?;
    }
    file.flush().map_err(|error| failed(&error))
}
