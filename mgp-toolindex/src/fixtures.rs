//! Tools for tests, of the size and style of real ones.

use crate::{catalogue::Catalogue, tokens::TokenCounter, tool::IndexedTool};
use mgp_transport::seam::ToolView;
use mgp_types::{
    context::{RiskLevel, ToolId},
    json::RawJson,
};
use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

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

/// Returns the tools of a server, all of the same risk.
pub(crate) fn tools(server_id: &str, definitions: &[&str], risk: RiskLevel) -> Vec<Arc<IndexedTool>> {
    let tool = |text: &&str| {
        let definition = RawJson::parse((*text).to_owned()).unwrap();
        Arc::new(IndexedTool::new(server_id, &definition, risk).unwrap())
    };
    definitions.iter().map(tool).collect()
}

/// A view of a few tools, written `server.tool`.
pub(crate) struct FewTools(HashSet<String>);

impl FewTools {
    pub(crate) fn these(tools: &[&str]) -> Self {
        Self(tools.iter().map(ToString::to_string).collect())
    }
}

impl ToolView for FewTools {
    fn sees(&self, tool: &ToolId) -> bool {
        self.0.contains(&tool.to_string())
    }
    fn sees_server(&self, _: &str) -> bool {
        false
    }
}

/// A counter of the tokens that a definition states in its member `price`, and of the calls.
#[derive(Debug, Default)]
pub(crate) struct Prices(AtomicUsize);

impl Prices {
    pub(crate) fn counted(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl TokenCounter for Prices {
    fn count(&self, text: &str) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed);
        let price = text.split_once(r#""price":"#).map_or("0", |(_, rest)| rest);
        price.split([',', '}']).next().unwrap().parse().unwrap()
    }
}

/// Returns a catalogue of one server, `s`, with a tool for each price.
pub(crate) async fn priced(tools: &[(&str, u64)]) -> Catalogue {
    let catalogue = Catalogue::new(["s"]).unwrap();
    let tool = |(name, price): &(&str, u64)| {
        let definition = format!(r#"{{"name":"{name}","description":"tool {name}","price":{price}}}"#);
        IndexedTool::new("s", &RawJson::parse(definition).unwrap(), RiskLevel::Safe).unwrap()
    };
    catalogue.update_server("s", tools.iter().map(tool).collect()).await.unwrap();
    catalogue
}
