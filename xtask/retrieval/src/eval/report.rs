//! The output of a run.

use super::Measures;
use crate::set::IndexedSet;
use comfy_table::{Table, TableStyle};
use std::collections::BTreeMap;

/// Writes one object, with a member for each mode.
pub(super) fn json(measured: &[(&'static str, Measures)]) -> Result<String, String> {
    let modes: BTreeMap<_, _> = measured.iter().copied().collect();
    serde_json::to_string(&modes).map_err(|error| error.to_string())
}

/// Writes a table, with a row for each mode.
pub(super) fn table(set: &IndexedSet, measured: &[(&'static str, Measures)]) -> String {
    let mut table = Table::new();
    table.load_style(TableStyle::new());
    table.set_header(["", "R@1", "R@3", "R@5", "R@10", "NDCG@5", "NDCG@10", "MRR", "ms/query"]);
    for (name, m) in measured {
        let numbers = [m.recall_1, m.recall_3, m.recall_5, m.recall_10, m.ndcg_5, m.ndcg_10, m.mrr];
        let numbers = numbers.into_iter().map(|number| format!("{number:.4}"));
        let row = [(*name).to_owned()].into_iter().chain(numbers).chain([format!("{:.3}", m.ms_per_query)]);
        table.add_row(row);
    }
    let stats = set.index.stats();
    let embedder = stats.embedder.map_or_else(|| "no embedder".to_owned(), |id| format!("embedder {id}"));
    format!("{} tools, {} queries, {embedder}\n{table}", set.tools, set.queries.len())
}
