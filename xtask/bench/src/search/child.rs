//! One size, measured in this process.

use super::{
    cached::{self, indexed},
    measured::{Ours, Times, WithModel},
    timed::TimedEmbedder,
    writer::Writer,
};
use crate::{
    measure::{Settings, resident},
    tools::{self, Generator, Server, TOOLS_A_SERVER},
};
use mgp_toolindex::{
    embed::{
        Embedder as _, EmbeddingCache,
        onnx::{FastEmbedder, ModelOptions, ModelSource},
    },
    index::{Query, Search, SearchMode, ToolIndex, ToolIndexBuilder},
};
use mgp_transport::seam::FullVisibility;
use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{runtime::Runtime, task::JoinSet};

/// The number of queries.
pub(super) const QUERIES: usize = 1_000;
/// The number of queries for a sentence model, which is slow.
const MODEL_QUERIES: usize = 200;
/// The largest index that is measured with a sentence model: filling a larger cache takes minutes.
const WITH_MODEL: usize = 100_000;
/// The number of servers that change during the searches, each between [`EDITIONS`] lists of tools.
const CHANGING: usize = 20;
const EDITIONS: u64 = 2;
/// The percentage of searches that must find something, because an empty result is fast.
const FIND: usize = 90;

/// Measures an index of `size` tools. Returns one JSON object.
pub(crate) fn measure_size(size: usize, settings: &Settings) -> Result<String, String> {
    let shared = tools::shared()?.ok_or("there is nothing to measure")?;
    let generator = Generator::new(&shared)?;
    let servers = (0..size.div_ceil(TOOLS_A_SERVER)).map(|number| generator.server(number, 0));
    let servers = Arc::new(servers.collect::<Result<Vec<_>, String>>()?);
    let changes = (1..=EDITIONS).flat_map(|edition| (0..CHANGING).map(move |at| (edition, at)));
    let editions = changes.map(|(edition, at)| {
        let number = at * servers.len() / CHANGING;
        let other = generator.server(number, edition)?;
        Ok(Server { id: servers[number].id.clone(), ..other })
    });
    let editions = Arc::new(editions.collect::<Result<Vec<_>, String>>()?);
    let queries = tools::queries(&shared, QUERIES)?;
    let runtime = settings.runtime()?;

    // The memory that does not depend on the number of tools: the table, the analyzers.
    let small = build(&runtime, ToolIndex::builder(), &Arc::new(vec![generator.server(0, 0)?]))?;
    let before = resident();
    let start = Instant::now();
    let index = build(&runtime, ToolIndex::builder(), &servers)?;
    let build_ms = start.elapsed().as_secs_f64() * 1e3;
    // Measured in use and at rest: an allocator returns the memory of the build only at its next allocation.
    search_all(&index, &queries, SearchMode::Hybrid, Duration::default)?;
    let kib_a_tool = resident().saturating_sub(before) as f64 / size as f64;

    drop(small);
    let writer = Writer::start(index.clone(), Arc::clone(&editions));
    let keyword = search_all(&index, &queries, SearchMode::Keyword, Duration::default)?;
    let hybrid = search_all(&index, &queries, SearchMode::Hybrid, Duration::default)?;
    let changes_a_second = writer.stop()?;
    drop(index);
    let model = if size <= WITH_MODEL {
        with_model(&runtime, &shared, &generator, &servers, &editions, &queries)?
    } else {
        None
    };
    let ours = Ours { build_ms, kib_a_tool, keyword, hybrid, changes_a_second, model };
    serde_json::to_string(&ours).map_err(|error| error.to_string())
}

/// Builds an index to which all servers list their tools at once, as when a kernel starts.
fn build(
    runtime: &Runtime,
    builder: ToolIndexBuilder,
    servers: &Arc<Vec<Server>>,
) -> Result<ToolIndex, String> {
    let built = builder.build().map_err(|error| error.to_string())?;
    let index = &built;
    let put = |number: usize| {
        let (index, servers) = (index.clone(), Arc::clone(servers));
        async move {
            let server = &servers[number];
            let tools = server.tools.iter().map(|json| indexed(&server.id, json).map(Arc::new));
            let tools = tools.collect::<Result<Vec<_>, String>>()?;
            index.update_server(server.id.as_str(), tools).await.map_err(|error| error.to_string())
        }
    };
    runtime.block_on(async {
        let mut all: JoinSet<_> = (0..servers.len()).map(put).collect();
        while let Some(done) = all.join_next().await {
            done.map_err(|error| error.to_string())??;
        }
        index.embedded().await;
        Ok::<_, String>(())
    })?;
    Ok(built)
}

/// Measures the time of each query, less the time that `apart` returns. Each query runs once before to warm up.
fn search_all(
    index: &ToolIndex,
    queries: &[String],
    mode: SearchMode,
    apart: impl Fn() -> Duration,
) -> Result<Times, String> {
    let (mut times, mut found_some) = (Vec::with_capacity(queries.len()), 0);
    for counts in [false, true] {
        for text in queries {
            let start = Instant::now();
            let query = Query::new(text).map_err(|error| error.to_string())?;
            let search = Search { mode, ..Search::new(query) };
            let found = index.search(&search, &FullVisibility).map_err(|error| error.to_string())?;
            let took = start.elapsed();
            if found.mode != mode {
                return Err(format!("{text:?} was searched by {:?}, not by {mode:?}", found.mode));
            }
            if counts {
                times.push(took.saturating_sub(apart()));
                found_some += usize::from(!found.hits.is_empty());
            }
        }
    }
    if found_some * 100 < queries.len() * FIND {
        return Err(format!("by {mode:?} {found_some} of {} queries found a tool", queries.len()));
    }
    Ok(Times::of(times))
}

/// Measures with a sentence model. A missing library for models is reported, and returns `None`.
fn with_model(
    runtime: &Runtime,
    shared: &Path,
    generator: &Generator,
    servers: &Arc<Vec<Server>>,
    editions: &Arc<Vec<Server>>,
    queries: &[String],
) -> Result<Option<WithModel>, String> {
    let folder = shared.join("models/all-MiniLM-L6-v2");
    let model = match FastEmbedder::load(&ModelOptions::new(ModelSource::Folder(folder))) {
        Ok(model) => Arc::new(TimedEmbedder::new(Arc::new(model))),
        Err(error) => {
            eprintln!("skipped: the sentence model: {error}");
            return Ok(None);
        }
    };
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let path = folder.path().join("index.sqlite3");
    let all = servers.iter().chain(editions.iter());
    let cache: Arc<dyn EmbeddingCache> = Arc::new(cached::fill(&path, &*model, generator, all)?);
    let start = Instant::now();
    let index = build(runtime, ToolIndex::builder().embedder(Arc::clone(&model) as _).cache(cache), servers)?;
    let warm_start_ms = start.elapsed().as_secs_f64() * 1e3;
    let queries = &queries[..MODEL_QUERIES.min(queries.len())];
    let writer = Writer::start(index.clone(), Arc::clone(editions));
    let hybrid = search_all(&index, queries, SearchMode::Hybrid, || model.last())?;
    writer.stop()?;
    let embedding = queries
        .iter()
        .map(|query| model.embed_query(query).map(|_| model.last()).map_err(|error| error.to_string()));
    let embedding = Times::of(embedding.collect::<Result<Vec<_>, String>>()?);
    Ok(Some(WithModel { warm_start_ms, hybrid, embedding }))
}
