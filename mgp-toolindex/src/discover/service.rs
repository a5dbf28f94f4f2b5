//! The service that answers requests for tools.

use super::{AllConnected, DEFAULT_RESULTS, MAX_RESULTS, ServerStates, params::DiscoverRequest};
use crate::{
    budget::{Cut, cut},
    catalogue::{Catalogue, CatalogueView, NamedTool},
    categories::count,
    index::{FLOOR, IndexError, Search, SearchFilter, SearchMode, SearchResult, behind_equals},
    meta_tools,
    session::Sessions,
    tool::{Detail, IndexedTool, ToolDetails},
};
use mgp_transport::seam::{ToolView, Visibility};
use mgp_types::{
    context::{Principal, RiskLevel},
    mcp::CallToolResult,
    rpc::ErrorObject,
    tool_index::{
        AboveRisk, CutResults, DiscoverToolsParams, DiscoverToolsResult, DiscoveredTool, SearchStrategy,
        ToolIndexNotes,
    },
};
use std::{collections::HashSet, sync::Arc, time::Instant};

/// A search of tools for a principal, among the tools that the principal may call. A clone is cheap.
#[derive(Debug, Clone)]
pub struct Discovery {
    catalogue: Catalogue,
    visibility: Arc<dyn Visibility>,
    states: Arc<dyn ServerStates>,
    default_results: usize,
    /// The sessions whose budget limits the results. `None` shows all results.
    sessions: Option<Sessions>,
}

impl Discovery {
    /// Creates a discovery over a catalogue. `visibility` decides which tools a principal may see.
    pub fn new(catalogue: Catalogue, visibility: Arc<dyn Visibility>) -> Self {
        Self {
            catalogue,
            visibility,
            states: Arc::new(AllConnected),
            default_results: DEFAULT_RESULTS,
            sessions: None,
        }
    }

    /// Sets the source of server states. By default, all servers are connected.
    #[must_use]
    pub fn with_states(mut self, states: Arc<dyn ServerStates>) -> Self {
        self.states = states;
        self
    }

    /// Sets the number of results for requests that do not name a number; at least 1 and at most [`MAX_RESULTS`].
    #[must_use]
    pub fn with_default_results(mut self, results: usize) -> Self {
        self.default_results = results.clamp(1, MAX_RESULTS);
        self
    }

    /// Keeps the results within the budget of these sessions (§16.8).
    #[must_use]
    pub fn with_sessions(mut self, sessions: Sessions) -> Self {
        self.sessions = Some(sessions);
        self
    }

    /// Returns the source of server states.
    #[must_use]
    pub fn states(&self) -> &Arc<dyn ServerStates> {
        &self.states
    }

    /// Finds tools.
    ///
    /// # Errors
    /// Returns -32602, naming the invalid parameter, or an internal error if the index cannot be searched.
    pub fn discover(
        &self,
        principal: &Principal,
        params: &DiscoverToolsParams,
    ) -> Result<DiscoverToolsResult, ErrorObject> {
        let start = Instant::now();
        let asked = DiscoverRequest::read(params, &*self.states, self.default_results)?;
        let names = self.catalogue.view();
        let Answer { tools, total_available, strategy, notes } =
            self.find(principal, &asked, &names).map_err(|error| {
                tracing::error!(%error, "the tool index cannot be searched");
                ErrorObject::internal("the tool index cannot be searched")
            })?;
        Ok(DiscoverToolsResult {
            tools,
            total_available: total_available as u64,
            search_strategy: strategy,
            query_time_ms: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
            notes: notes.some(),
        })
    }

    fn find(
        &self,
        principal: &Principal,
        asked: &DiscoverRequest,
        names: &CatalogueView,
    ) -> Result<Answer, IndexError> {
        let view = self.visibility.view(principal);
        let index = self.catalogue.index();
        let above_risk = self.above_risk(asked, &*view)?;
        let mut found: Vec<(Arc<IndexedTool>, f64)> = Vec::new();
        let (mut total_available, mut below, mut strategy) = (0, None, SearchStrategy::Category);
        let mut hint = None;
        if let Some(search) = &asked.search {
            // The decision whether any tool serves must not depend on the number of results requested.
            let wider = Search { limit: search.limit.max(JUDGED), ..search.clone() };
            let mut result = index.search(&wider, &*view)?;
            let limited = self.states.limited();
            if !limited.is_empty() {
                for hit in &mut result.hits {
                    hit.is_limited = limited.contains(&hit.tool.id().server_id);
                }
                behind_equals(&mut result.hits);
            }
            total_available = result.total_available;
            strategy = match result.mode {
                SearchMode::Keyword => SearchStrategy::Keyword,
                SearchMode::Semantic | SearchMode::Hybrid => SearchStrategy::Semantic,
            };
            // If even the best tool does not serve, unrelated tools are not an answer.
            let any = result.hits.iter().any(|hit| hit.relevance() >= FLOOR);
            if !any && !asked.browse && above_risk.is_none() && total_available > 0 {
                hint = Some(nothing_serves(asked, search, &result));
            }
            let hits = result.hits.into_iter().take(search.limit).filter(|_| any);
            found.extend(hits.map(|hit| (Arc::clone(&hit.tool), hit.relevance())));
        }
        if asked.browse {
            strategy = SearchStrategy::Category;
            // Tools of the category that the words did not find are listed too.
            let (tools, available) = index.browse(&asked.filter, &*view);
            total_available = available;
            below = Some(count(tools.iter().map(|tool| &**tool), &asked.filter.categories));
            let listed: HashSet<_> = found.iter().map(|(tool, _)| tool.id().clone()).collect();
            found
                .extend(tools.into_iter().filter(|tool| !listed.contains(tool.id())).map(|tool| (tool, 0.0)));
            // The top level has categories to choose from, and no tools.
            found.truncate(if asked.filter.categories.is_empty() { 0 } else { asked.limit });
        }
        // A tool that no longer has a name was removed in between.
        let named =
            found.into_iter().filter_map(|(tool, relevance)| Some((names.named(tool.id())?, relevance)));
        let FittingResults { results, cut, trimmed } = self.within_budget(principal, named.collect());
        let notes = ToolIndexNotes {
            cut,
            trimmed,
            above_risk,
            categories: below,
            hints: hint.into_iter().collect(),
            ..ToolIndexNotes::default()
        };
        let tools =
            results.iter().map(|(tool, relevance, detail)| shown(tool, *relevance, *detail)).collect();
        Ok(Answer { tools, total_available, strategy, notes })
    }

    /// Returns the number and the lowest risk of the visible tools that only the request's risk limit excludes. `None`
    /// if there are none.
    fn above_risk(
        &self,
        asked: &DiscoverRequest,
        view: &dyn ToolView,
    ) -> Result<Option<AboveRisk>, IndexError> {
        let Some(most) = asked.filter.risk_level_max else { return Ok(None) };
        let filter = SearchFilter { risk_level_max: None, ..asked.filter.clone() };
        let index = self.catalogue.index();
        let risks: Vec<RiskLevel> = match &asked.search {
            Some(search) if !asked.browse => {
                let any = Search { filter, limit: MAX_RESULTS, ..search.clone() };
                let hits = index.search(&any, view)?.hits.into_iter();
                hits.filter(|hit| hit.relevance() >= FLOOR).map(|hit| hit.tool.risk()).collect()
            }
            _ => index.browse(&filter, view).0.iter().map(|tool| tool.risk()).collect(),
        };
        let above = risks.into_iter().filter(|risk| *risk > most);
        Ok(above.clone().min().map(|lowest| AboveRisk::new(above.count() as u64, most, lowest)))
    }

    /// Cuts the results to the available room (§16.8): members before results.
    fn within_budget(&self, principal: &Principal, found: Vec<RatedTool>) -> FittingResults {
        let Some(sessions) = &self.sessions else {
            let results =
                found.into_iter().map(|(tool, relevance)| (tool, relevance, Detail::Whole)).collect();
            return FittingResults { results, cut: None, trimmed: Vec::new() };
        };
        let budget = sessions.budget();
        // Results are shown with their security metadata, to every host.
        let room = sessions.discovery_room(principal, true);
        let bare = |tool: &NamedTool| budget.tokens_with(tool, Detail::Bare);
        let Cut { kept, note } = cut(found, room, |(tool, _)| bare(tool), |(tool, _)| tool.name.to_string());
        let mut left = room.saturating_sub(kept.iter().map(|(tool, _)| bare(tool)).sum());
        let mut trimmed = Vec::new();
        let mut with_details = |(tool, relevance): RatedTool| {
            let more = |detail| budget.tokens_with(&tool, detail).saturating_sub(bare(&tool));
            let detail = Detail::ALL.into_iter().find(|detail| more(*detail) <= left).unwrap_or(Detail::Bare);
            left = left.saturating_sub(more(detail));
            if detail > Detail::Whole {
                trimmed.push(tool.name.to_string());
            }
            (tool, relevance, detail)
        };
        let results = kept.into_iter().map(&mut with_details).collect();
        FittingResults { results, cut: note, trimmed }
    }

    /// Finds tools for a call of the meta-tool. Returns the answer as text for a model and as structured content for a
    /// program.
    ///
    /// Errors in the arguments are reported in the result, where a model can read them.
    #[must_use]
    pub fn call(&self, principal: &Principal, params: &DiscoverToolsParams) -> CallToolResult {
        meta_tools::answer(self.discover(principal, params))
    }
}

/// The results of a search.
struct Answer {
    tools: Vec<DiscoveredTool>,
    total_available: usize,
    strategy: SearchStrategy,
    notes: ToolIndexNotes,
}

/// The number of results that decide whether any tool serves.
const JUDGED: usize = 10;

/// A tool, and its relevance.
type RatedTool = (NamedTool, f64);

/// The results that fit, and a note of omissions.
struct FittingResults {
    results: Vec<(NamedTool, f64, Detail)>,
    /// The results that were left out.
    cut: Option<CutResults>,
    /// The names of the results that lack some of their members.
    trimmed: Vec<String>,
}

/// Returns a sentence for a model whose search found nothing, with advice on a better search.
fn nothing_serves(asked: &DiscoverRequest, search: &Search, result: &SearchResult) -> String {
    let among = match result.total_available {
        1 => "the one tool that you may call does not serve this query".to_owned(),
        count => format!("none of the {count} tools that you may call serves this query"),
    };
    // The tools are described in another language, or with other words.
    let remedy = if search.query.text().is_ascii() || result.hits.iter().any(|hit| hit.words > 0.0) {
        "search for the action and its object in a few other words, such as \"read file\""
    } else {
        "no tool has a word of it: search in the language of the tools' descriptions, which is mostly English"
    };
    let narrowed = !asked.filter.categories.is_empty() || asked.filter.servers.is_some();
    let wider = if narrowed {
        "or without `filter`"
    } else {
        "or list the categories of tools with an empty `query` and `strategy`: \"category\""
    };
    format!("{among}: {remedy}, {wider}")
}

fn shown(NamedTool { name, tool }: &NamedTool, relevance_score: f64, detail: Detail) -> DiscoveredTool {
    let ToolDetails { output_schema, annotations, meta } = tool.details(detail);
    DiscoveredTool {
        name: name.to_string(),
        server_id: tool.id().server_id.to_string(),
        description: tool.description(),
        relevance_score,
        input_schema: tool.input_schema(),
        output_schema,
        annotations,
        security: Some(tool.shown_security()),
        meta,
        estimate: None,
    }
}
