//! The result of `mgp add`.

use super::{source::FoundServer, trial::TriedServer};
use crate::output::{on_one_line, shortened, table};
use mgp_discovery::config::{ServerConfig, Text};
use serde::Serialize;
use std::path::PathBuf;

/// The most tools that the text lists.
const MAX_TOOLS: usize = 50;

/// The most values without which the server runs that the text lists.
const MAX_OPTIONAL: usize = 20;

/// The result of the command.
#[derive(Debug, Serialize)]
pub(super) struct AddReport {
    pub(super) id: String,
    pub(super) title: String,
    /// The command or the URL.
    pub(super) runs: String,
    /// The variables that are missing.
    pub(super) needs: Vec<String>,
    /// The offers of the server; `None` if it was not tried.
    pub(super) tried: Option<TriedServer>,
    /// The configuration.
    pub(super) file: PathBuf,
    pub(super) written: bool,
    pub(super) remarks: Vec<String>,
}

/// Returns the text that is shown before the server is run.
pub(super) fn before(found: &FoundServer, remarks: &[String]) -> String {
    let mut lines = vec![shortened(&found.title, 300), format!("  {}", found.way)];
    lines.push(match found.server.command {
        Some(_) => format!("  runs: {}", line(&found.server)),
        None => format!("  is reached at: {}", line(&found.server)),
    });
    if !found.server.env.is_empty() {
        let names: Vec<_> = found.server.env.keys().map(String::as_str).collect();
        lines.push(format!("  sets the variables {}", names.join(", ")));
    }
    if !found.server.headers.is_empty() {
        let names: Vec<_> = found.server.headers.keys().map(String::as_str).collect();
        lines.push(format!("  sends the headers {}", names.join(", ")));
    }
    lines.extend(needs(found).into_iter().map(|need| format!("  needs {need}")));
    let optional = found.needs.iter().filter(|need| !need.required).take(MAX_OPTIONAL);
    lines.extend(optional.map(|need| {
        let what = if need.what.is_empty() { String::new() } else { format!(": {}", need.what) };
        format!("  may get {}{what} (--set {}=VALUE)", need.variable, need.of)
    }));
    lines.extend(remarks.iter().map(|remark| format!("  {remark}")));
    lines.iter().map(|line| on_one_line_indented(line)).collect::<Vec<_>>().join("\n")
}

/// Returns the text about a server that was tried.
pub(super) fn after(tried: &TriedServer) -> String {
    let mut lines = vec![match tried.tools.len() {
        1 => "it offers one tool:".to_owned(),
        count => format!("it offers {count} tools:"),
    }];
    let rows = tried.tools.iter().take(MAX_TOOLS).map(|tool| {
        [on_one_line(&tool.name), tool.risk.to_string(), shortened(&on_one_line(&tool.description), 100)]
    });
    if !tried.tools.is_empty() {
        lines.push(table(["tool", "risk", "description"], rows));
    }
    if tried.tools.len() > MAX_TOOLS {
        lines.push(format!("and {} more", tried.tools.len() - MAX_TOOLS));
    }
    if !tried.permissions.is_empty() {
        lines.push(format!("it asks for the permissions {}", on_one_line(&tried.permissions.join(", "))));
    }
    lines.join("\n")
}

/// Returns the command line or URL of a server.
pub(crate) fn line(server: &ServerConfig) -> String {
    let parts = server.command.iter().chain(&server.args).chain(&server.url).map(Text::written);
    parts.collect::<Vec<_>>().join(" ")
}

/// Returns the values that a server needs and does not have, each with the way to give it.
pub(super) fn needs(found: &FoundServer) -> Vec<String> {
    let required = found.needs.iter().filter(|need| need.required);
    let text = |need: &mgp_discovery::public_registry::Need| {
        let what = if need.what.is_empty() { String::new() } else { format!(": {}", need.what) };
        match need.secret {
            true => {
                let name = need.variable.to_ascii_lowercase().replace('_', "-");
                format!(
                    "{}{what} (`mgp secrets set {name}`, then --set {}='${{keyring:{name}}}')",
                    need.variable, need.of
                )
            }
            false => format!("{}{what} (--set {}=VALUE)", need.variable, need.of),
        }
    };
    required.map(text).collect()
}

/// Returns a line without line breaks and hidden characters, with its indentation.
fn on_one_line_indented(line: &str) -> String {
    let text = line.trim_start();
    format!("{}{}", &line[..line.len() - text.len()], on_one_line(text))
}
