//! Runs every query of a set in each mode.

use super::{Measures, bars, report};
use crate::{
    arguments::{EmbedderName, EvalArguments},
    embedder,
    set::IndexedSet,
};
use mgp_toolindex::index::{Query, Search, SearchMode};
use mgp_transport::seam::FullVisibility;
use std::time::Instant;

/// The number of results per query: enough for the rank of the first wanted tool.
const RESULTS: usize = 100;

pub(crate) fn run(arguments: &EvalArguments) -> Result<String, String> {
    let Some(data) = &arguments.data else { return bars::run(&arguments.embedder) };
    let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
    let set = runtime.block_on(IndexedSet::read(data, embedder::builder(&arguments.embedder)?))?;
    let modes: &[(&'static str, SearchMode)] = match arguments.embedder.embedder {
        EmbedderName::None => &[("keyword", SearchMode::Keyword)],
        _ => &[
            ("keyword", SearchMode::Keyword),
            ("semantic", SearchMode::Semantic),
            ("hybrid", SearchMode::Hybrid),
        ],
    };
    let measured = modes.iter().map(|(name, mode)| Ok((*name, measure(&set, *mode)?)));
    let measured = measured.collect::<Result<Vec<_>, String>>()?;
    if arguments.json { report::json(&measured) } else { Ok(report::table(&set, &measured)) }
}

/// Returns the means over all queries.
pub(super) fn measure(set: &IndexedSet, mode: SearchMode) -> Result<Measures, String> {
    let mut all = Vec::with_capacity(set.queries.len());
    for line in &set.queries {
        let start = Instant::now();
        let query = Query::new(&line.query).map_err(|error| format!("query {:?}: {error}", line.id))?;
        let search = Search { mode, limit: RESULTS, ..Search::new(query) };
        let result = set.index.search(&search, &FullVisibility).map_err(|error| error.to_string())?;
        let ms = start.elapsed().as_secs_f64() * 1000.0;
        let found: Vec<&str> = result.hits.iter().map(|hit| set.id(&hit.tool)).collect();
        all.push(Measures::of(&found, &line.relevant, ms));
    }
    Ok(Measures::mean(&all))
}
