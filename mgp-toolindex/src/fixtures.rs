//! Tools for tests: written for them, of the size and style of real ones.

use crate::tool::IndexedTool;
use mgp_transport::seam::ToolView;
use mgp_types::{
    context::{RiskLevel, ToolId},
    json::RawJson,
};
use std::{collections::HashSet, sync::Arc};

pub(crate) const FILES: &[&str] = &[
    r#"{"name":"read_file","title":"Read file","description":"Returns what a text file contains. Fails for folders.",
        "inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"Where the file is"},
        "head":{"type":"integer","description":"How many lines from the start"}},"required":["path"]},
        "security":{"risk_level":"moderate","permissions_required":["filesystem.read"]}}"#,
    r#"{"name":"write_file","description":"Creates a file or replaces its content.",
        "inputSchema":{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}}},
        "security":{"risk_level":"dangerous","permissions_required":["filesystem.write"]}}"#,
    r#"{"name":"list_directory","description":"Lists the entries of a folder.",
        "inputSchema":{"type":"object","properties":{"path":{"type":"string"}}}}"#,
];

pub(crate) const WEB: &[&str] = &[
    r#"{"name":"fetchPage","description":"Downloads a web page and turns it into Markdown.",
        "inputSchema":{"type":"object","properties":{"url":{"type":"string","description":"Address of the page"},
        "options":{"type":"object","properties":{"timezone":{"type":"string"}}}}},"categories":["web"]}"#,
    r#"{"name":"read_file","description":"Reads a file that was uploaded to the web application."}"#,
];

/// The tools of a server, all of one risk.
pub(crate) fn tools(server_id: &str, definitions: &[&str], risk: RiskLevel) -> Vec<Arc<IndexedTool>> {
    let tool = |text: &&str| {
        let definition = RawJson::parse((*text).to_owned()).unwrap();
        Arc::new(IndexedTool::new(server_id, &definition, risk).unwrap())
    };
    definitions.iter().map(tool).collect()
}

/// Sees a few tools, written `server.tool`.
pub(crate) struct Only(HashSet<String>);

impl Only {
    pub(crate) fn these(tools: &[&str]) -> Self {
        Self(tools.iter().map(ToString::to_string).collect())
    }
}

impl ToolView for Only {
    fn sees(&self, tool: &ToolId) -> bool {
        self.0.contains(&tool.to_string())
    }
    fn sees_server(&self, _: &str) -> bool {
        false
    }
}
