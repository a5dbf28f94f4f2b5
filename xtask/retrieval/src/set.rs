//! A set of tools, and of queries with their wanted tools.

use mgp_toolindex::{index::ToolIndex, index::ToolIndexBuilder, tool::IndexedTool};
use mgp_types::{context::RiskLevel, json::RawJson};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
    sync::Arc,
};

/// A line of `tools.jsonl`.
#[derive(Debug, Deserialize)]
pub(crate) struct ToolLine {
    #[serde(default)]
    pub(crate) id: String,
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) server: String,
    #[serde(default)]
    pub(crate) description: Option<String>,
    #[serde(default)]
    pub(crate) input_schema: Option<Value>,
}

/// A line of `queries.jsonl`.
#[derive(Debug, Deserialize)]
pub(crate) struct QueryLine {
    #[serde(default)]
    pub(crate) id: String,
    pub(crate) query: String,
    pub(crate) relevant: Vec<String>,
}

/// A set, and the index over its tools.
pub(crate) struct IndexedSet {
    pub(crate) index: ToolIndex,
    pub(crate) queries: Vec<QueryLine>,
    pub(crate) tools: usize,
    /// The id of each tool, by the tool's address in memory.
    ids: HashMap<*const IndexedTool, String>,
}

impl IndexedSet {
    /// Reads a folder and indexes its tools.
    pub(crate) async fn read(folder: &Path, builder: ToolIndexBuilder) -> Result<Self, String> {
        let tools: Vec<ToolLine> = lines(&folder.join("tools.jsonl"))?;
        let queries: Vec<QueryLine> = lines(&folder.join("queries.jsonl"))?;
        let known: std::collections::HashSet<&str> = tools.iter().map(|tool| tool.id.as_str()).collect();
        for query in &queries {
            if let Some(id) = query.relevant.iter().find(|id| !known.contains(id.as_str())) {
                return Err(format!(
                    "query {:?} wants {id:?}: expected the id of a tool in tools.jsonl",
                    query.id
                ));
            }
        }
        let index = builder.build().map_err(|error| error.to_string())?;
        let count = tools.len();
        let mut ids = HashMap::with_capacity(count);
        let mut servers: BTreeMap<String, Vec<Arc<IndexedTool>>> = BTreeMap::new();
        for line in tools {
            let tool = Arc::new(line.to_tool()?);
            ids.insert(Arc::as_ptr(&tool), line.id);
            servers.entry(line.server).or_default().push(tool);
        }
        for (server, tools) in servers {
            index.update_server(server, tools).await.map_err(|error| error.to_string())?;
        }
        index.embedded().await;
        Ok(Self { index, queries, tools: count, ids })
    }

    pub(crate) fn id(&self, tool: &Arc<IndexedTool>) -> &str {
        self.ids.get(&Arc::as_ptr(tool)).map_or("", String::as_str)
    }
}

impl ToolLine {
    /// Converts the line into a tool, as a server would list it.
    pub(crate) fn to_tool(&self) -> Result<IndexedTool, String> {
        let mut definition = serde_json::Map::new();
        definition.insert("name".to_owned(), self.name.as_str().into());
        definition.extend(self.description.clone().map(|text| ("description".to_owned(), text.into())));
        definition.extend(self.input_schema.clone().map(|schema| ("inputSchema".to_owned(), schema)));
        let json = RawJson::from_value(&definition).map_err(|error| error.to_string())?;
        IndexedTool::new(&self.server, &json, RiskLevel::Safe)
            .map_err(|error| format!("tool {:?}: {error}", self.id))
    }
}

/// Reads the lines of a file, each a separate object.
pub(crate) fn lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("failed to read {}: {error}", path.display()))?;
    let line = |(number, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| format!("{}:{}: {error}", path.display(), number + 1))
    };
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(line).collect()
}
