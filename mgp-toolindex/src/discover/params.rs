//! Reads and checks the parameters of a discovery request.

use super::ServerStates;
use crate::index::{Query, QueryError, Search, SearchFilter, SearchMode};
use mgp_types::{
    rpc::ErrorObject,
    tool_index::{DiscoverFilter, DiscoverToolsParams, SearchStrategy, category_path},
};

/// The number of tools that are returned if the request does not name a number.
pub const DEFAULT_RESULTS: usize = 5;

/// The most tools that a request can request.
pub const MAX_RESULTS: usize = 50;

/// The most categories that a request can request.
const MAX_CATEGORIES: usize = 50;

/// A request that is within bounds.
pub(super) struct DiscoverRequest {
    /// The search. `None` if all tools of some categories are requested.
    pub(super) search: Option<Search>,
    /// True if all tools of the categories are requested, whether or not the search finds them.
    pub(super) browse: bool,
    pub(super) filter: SearchFilter,
    pub(super) limit: usize,
}

impl DiscoverRequest {
    pub(super) fn read(
        params: &DiscoverToolsParams,
        states: &dyn ServerStates,
        default_results: usize,
    ) -> Result<Self, ErrorObject> {
        let filter = read_filter(params.filter.as_ref(), states)?;
        let strategy = params.strategy.unwrap_or(SearchStrategy::Semantic);
        let browse = strategy == SearchStrategy::Category;
        if browse && filter.categories.is_empty() && !params.query.trim().is_empty() {
            return Err(invalid("filter.categories", "missing: expected what to look under"));
        }
        let mode = match strategy {
            SearchStrategy::Keyword => SearchMode::Keyword,
            // A request for meaning combines meaning and words.
            SearchStrategy::Semantic | SearchStrategy::Category => SearchMode::Hybrid,
        };
        let query = match Query::new(&params.query) {
            Ok(query) => Some(query),
            Err(QueryError::Empty) if browse => None,
            Err(error) => return Err(invalid("query", error)),
        };
        let limit =
            params.max_results.map_or(default_results, |max| usize::try_from(max).unwrap_or(usize::MAX));
        if !(1..=MAX_RESULTS).contains(&limit) {
            return Err(invalid("max_results", format_args!("{limit}: expected 1 to {MAX_RESULTS}")));
        }
        let search = query.map(|query| Search { query, mode, filter: filter.clone(), limit });
        Ok(Self { search, browse, filter, limit })
    }
}

fn read_filter(
    filter: Option<&DiscoverFilter>,
    states: &dyn ServerStates,
) -> Result<SearchFilter, ErrorObject> {
    let Some(filter) = filter else { return Ok(SearchFilter::default()) };
    let categories = filter.categories.as_deref().unwrap_or_default();
    if categories.len() > MAX_CATEGORIES {
        let found = format_args!("{} entries: expected at most {MAX_CATEGORIES}", categories.len());
        return Err(invalid("filter.categories", found));
    }
    let mut servers = filter.status.and_then(|status| states.in_state(status));
    if let Some(id) = &filter.server_id {
        let wanted = servers.as_ref().is_none_or(|servers| servers.contains(id.as_str()));
        servers = Some(wanted.then(|| id.as_str().into()).into_iter().collect());
    }
    Ok(SearchFilter {
        // An invalid category becomes an empty one, which no tool is filed under.
        categories: categories.iter().map(|text| category_path(text).unwrap_or_default()).collect(),
        risk_level_max: filter.risk_level_max,
        servers,
    })
}

fn invalid(field: &str, problem: impl std::fmt::Display) -> ErrorObject {
    ErrorObject::invalid_params(format!("invalid {field}: {problem}"))
}
