//! Answers a request for tools.

use super::{AllConnected, DEFAULT_RESULTS, MAX_RESULTS, ServerStates, params::Asked};
use crate::{
    catalogue::{Catalogue, CatalogueView},
    index::{IndexError, SearchMode},
    tool::IndexedTool,
};
use mgp_transport::seam::Visibility;
use mgp_types::{
    context::Principal,
    json::RawJson,
    mcp::{CallToolResult, ContentBlock},
    rpc::ErrorObject,
    tool_index::{DiscoverToolsParams, DiscoverToolsResult, DiscoveredTool, SearchStrategy},
};
use std::{collections::HashSet, sync::Arc, time::Instant};

/// What a search gave.
struct Found {
    tools: Vec<DiscoveredTool>,
    total_available: usize,
    strategy: SearchStrategy,
}

/// Finds tools for principals, each among those that it may call. A clone is cheap.
#[derive(Debug, Clone)]
pub struct Discovery {
    catalogue: Catalogue,
    visibility: Arc<dyn Visibility>,
    states: Arc<dyn ServerStates>,
    default_results: usize,
}

impl Discovery {
    /// Searches a catalogue. `visibility` decides who may see what.
    pub fn new(catalogue: Catalogue, visibility: Arc<dyn Visibility>) -> Self {
        Self { catalogue, visibility, states: Arc::new(AllConnected), default_results: DEFAULT_RESULTS }
    }

    /// The same, with servers that can be down.
    #[must_use]
    pub fn with_states(mut self, states: Arc<dyn ServerStates>) -> Self {
        self.states = states;
        self
    }

    /// The same, with another number of results where the request says none; at most [`MAX_RESULTS`].
    #[must_use]
    pub fn with_default_results(mut self, results: usize) -> Self {
        self.default_results = results.clamp(1, MAX_RESULTS);
        self
    }

    /// Finds tools.
    ///
    /// # Errors
    /// -32602, naming the member that is wrong.
    pub fn discover(
        &self,
        principal: &Principal,
        params: &DiscoverToolsParams,
    ) -> Result<DiscoverToolsResult, ErrorObject> {
        let start = Instant::now();
        let asked = Asked::read(params, &*self.states, self.default_results)?;
        let names = self.catalogue.view();
        let Found { tools, total_available, strategy } =
            self.find(principal, &asked, &names).map_err(|error| {
                tracing::error!(%error, "the tool index cannot be searched");
                ErrorObject::internal("the tool index cannot be searched")
            })?;
        Ok(DiscoverToolsResult {
            tools,
            total_available: total_available as u64,
            search_strategy: strategy,
            query_time_ms: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
        })
    }

    fn find(&self, principal: &Principal, asked: &Asked, names: &CatalogueView) -> Result<Found, IndexError> {
        let view = self.visibility.view(principal);
        let index = self.catalogue.index();
        let mut found: Vec<(Arc<IndexedTool>, f64)> = Vec::new();
        let (mut total_available, mut strategy) = (0, SearchStrategy::Category);
        if let Some(search) = &asked.search {
            let result = index.search(search, &*view)?;
            total_available = result.total_available;
            strategy = match result.mode {
                SearchMode::Keyword => SearchStrategy::Keyword,
                SearchMode::Semantic | SearchMode::Hybrid => SearchStrategy::Semantic,
            };
            found.extend(result.hits.into_iter().map(|hit| (Arc::clone(&hit.tool), hit.relevance())));
        }
        if asked.browse {
            strategy = SearchStrategy::Category;
            // What the words did not find is in the category all the same.
            let (tools, available) = index.browse(&asked.filter, &*view);
            total_available = available;
            let listed: HashSet<_> = found.iter().map(|(tool, _)| tool.id().clone()).collect();
            found
                .extend(tools.into_iter().filter(|tool| !listed.contains(tool.id())).map(|tool| (tool, 0.0)));
            found.truncate(asked.limit);
        }
        // A tool that has no name any more went away in between.
        let tools = found.into_iter().filter_map(|(tool, relevance)| shown(&tool, relevance, names));
        Ok(Found { tools: tools.collect(), total_available, strategy })
    }

    /// Finds tools for a call of the meta-tool: the answer as text for a model and as structured content for a program.
    ///
    /// What is wrong with the arguments stands in the result, where a model reads it.
    #[must_use]
    pub fn call(&self, principal: &Principal, params: &DiscoverToolsParams) -> CallToolResult {
        let written = self.discover(principal, params).and_then(|found| Ok(RawJson::from_value(&found)?));
        match written {
            Ok(json) => CallToolResult {
                structured_content: Some(json.clone()),
                ..CallToolResult::new(vec![ContentBlock::text(json.as_str())])
            },
            Err(error) => CallToolResult::error(error.message),
        }
    }
}

fn shown(tool: &IndexedTool, relevance_score: f64, names: &CatalogueView) -> Option<DiscoveredTool> {
    Some(DiscoveredTool {
        name: names.named(tool.id())?.name.to_string(),
        server_id: tool.id().server_id.to_string(),
        description: tool.description(),
        relevance_score,
        input_schema: tool.input_schema(),
        security: Some(tool.shown_security()),
    })
}
