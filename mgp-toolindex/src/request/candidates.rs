//! The only place where requests search the index.

use super::serves;
use crate::index::{Hit, Query, Search, SearchFilter, ToolIndex};
use mgp_transport::seam::ToolView;
use mgp_types::rpc::ErrorObject;

/// The most tools that are considered for one capability.
const MAX_CANDIDATES: usize = 10;

/// Returns the tools that serve a capability, the best first, among those that a view shows.
pub(super) fn candidates(
    index: &ToolIndex,
    query: &Query,
    filter: &SearchFilter,
    view: &dyn ToolView,
) -> Result<Vec<Hit>, ErrorObject> {
    let search = Search { filter: filter.clone(), limit: MAX_CANDIDATES, ..Search::new(query.clone()) };
    let found = index.search(&search, view).map_err(|error| {
        tracing::error!(%error, "the tool index cannot be searched");
        ErrorObject::internal("the tool index cannot be searched")
    })?;
    Ok(found.hits.into_iter().filter(serves).collect())
}
