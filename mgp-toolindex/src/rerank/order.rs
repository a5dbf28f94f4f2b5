//! Reorders results.

use super::Reranker;
use crate::{
    embed::passage,
    index::{Hit, behind_equals},
};

/// The most results that are reranked.
pub const RERANKED: usize = 20;

/// Reorders the first results. The order is unchanged if the reranker fails.
pub(crate) fn reorder(reranker: &dyn Reranker, query: &str, hits: &mut [Hit]) {
    let count = hits.len().min(RERANKED);
    let first = &mut hits[..count];
    let texts: Vec<String> = first.iter().map(|hit| passage(&hit.tool)).collect();
    match reranker.rate(query, &texts) {
        Ok(rates) if rates.len() == first.len() => {
            let mut order: Vec<usize> = (0..first.len()).collect();
            // Stable: results with the same rating keep the order of the search.
            order.sort_by(|a, b| rates[*b].total_cmp(&rates[*a]));
            let ordered: Vec<Hit> = order.into_iter().map(|at| first[at].clone()).collect();
            first.clone_from_slice(&ordered);
            behind_equals(first);
        }
        Ok(rates) => {
            tracing::warn!(
                texts = first.len(),
                rates = rates.len(),
                "a reranker left out some: not reordered"
            );
        }
        Err(error) => tracing::warn!(%error, "results are not reordered"),
    }
}
