//! Searching by meaning, with embedders that are quick, slow and broken.

use super::embedders::CountingEmbedder;
use crate::{
    embed::EmbedError,
    fixtures::{FILES, WEB, tools},
    index::{FLOOR, Query, Search, SearchMode, SearchResult, ToolIndex},
    rerank::Reranker,
};
use mgp_transport::seam::FullVisibility;
use mgp_types::context::RiskLevel;
use parking_lot::Mutex;
use std::sync::{Arc, atomic::Ordering, mpsc};
use xtask_testing::{until, within};

async fn fill(index: &ToolIndex) {
    index.update_server("files", tools("files", FILES, RiskLevel::Moderate)).await.unwrap();
    index.update_server("web", tools("web", WEB, RiskLevel::Dangerous)).await.unwrap();
}

fn search(index: &ToolIndex, query: &str, mode: SearchMode) -> SearchResult {
    index.search(&Search { mode, ..Search::new(Query::new(query).unwrap()) }, &FullVisibility).unwrap()
}

fn best(index: &ToolIndex, query: &str, mode: SearchMode) -> String {
    search(index, query, mode).hits[0].tool.id().to_string()
}

#[tokio::test]
async fn the_embedded_table_finds_a_tool_without_common_words() {
    let index = ToolIndex::new().unwrap();
    fill(&index).await;
    for (query, tool) in [
        ("grab the HTML of a site", "web.fetchPage"),
        ("look at a document's text", "files.read_file"),
        ("save a document", "files.write_file"),
    ] {
        assert_eq!(best(&index, query, SearchMode::Semantic), tool, "{query}");
        assert_eq!(best(&index, query, SearchMode::Hybrid), tool, "{query}");
    }
    let stats = index.stats();
    assert_eq!((stats.tools, stats.servers, stats.embedded, stats.waiting), (5, 2, 5, 0));
    assert!(stats.embedder.unwrap().starts_with("static-") && stats.dimensions == 192);
}

#[tokio::test]
async fn matching_tools_are_above_the_floor_and_others_below() {
    let index = ToolIndex::new().unwrap();
    fill(&index).await;
    let relevance = |query| search(&index, query, SearchMode::Hybrid).hits[0].relevance();
    for query in ["read a text file", "fetch a web page", "list the entries of a folder"] {
        assert!(relevance(query) >= FLOOR, "{query}: {}", relevance(query));
    }
    for query in ["book a flight to Lima", "symptoms of the flu", "xyzzy plugh"] {
        assert!(relevance(query) < FLOOR, "{query}: {}", relevance(query));
    }
}

#[tokio::test]
async fn many_parameters_do_not_hide_name_and_description() {
    let index = ToolIndex::builder().embedder(Arc::new(CountingEmbedder::default())).build().unwrap();
    fill(&index).await;
    let parameters: Vec<String> = (0..12)
        .map(|i| format!(r#""p{i}":{{"description":"The folder that part {i} of the answer is kept in"}}"#))
        .collect();
    let large = format!(
        r#"{{"name":"show","description":"Shows a page.","inputSchema":{{"properties":{{{}}}}}}}"#,
        parameters.join(",")
    );
    index.update_server("large", tools("large", &[&large], RiskLevel::Safe)).await.unwrap();
    let hit = |query: &str| {
        let hits = search(&index, query, SearchMode::Hybrid).hits;
        hits.into_iter().find(|hit| *hit.tool.id().server_id == *"large").unwrap()
    };
    let found = hit("show a page");
    assert!(found.meaning.unwrap() < 0.2, "its parameters speak of folders: {found:?}");
    assert!(found.relevance() >= FLOOR && found.evidence.stated >= 1.0, "{found:?}");
    let other = hit("translate and delete a page");
    assert!(other.relevance() < FLOOR, "most words are missing: {other:?}");
}

#[tokio::test]
async fn words_find_a_tool_until_a_slow_embedder_is_done() {
    let (go_on, waits) = mpsc::channel();
    let slow = CountingEmbedder { waits: Some(Mutex::new(waits)), ..CountingEmbedder::default() };
    let index = ToolIndex::builder().embedder(Arc::new(slow)).build().unwrap();
    assert!(index.is_slow());
    fill(&index).await;
    let found = search(&index, "page", SearchMode::Hybrid);
    assert_eq!(found.hits[0].tool.id().to_string(), "web.fetchPage");
    assert!(found.hits.iter().all(|hit| hit.meaning.is_none()));
    assert_eq!((index.stats().embedded, index.stats().waiting), (0, 5));
    drop(go_on);
    index.embedded().await;
    assert_eq!((index.stats().embedded, index.stats().waiting), (5, 0));
    assert!(search(&index, "page", SearchMode::Hybrid).hits[0].meaning.unwrap() > 0.5);
}

#[tokio::test]
async fn a_late_vector_is_not_given_to_the_slot_s_next_tool() {
    let (go_on, waits) = mpsc::channel();
    let slow = Arc::new(CountingEmbedder { waits: Some(Mutex::new(waits)), ..CountingEmbedder::default() });
    let index = ToolIndex::builder().embedder(slow.clone()).build().unwrap();
    let tool =
        |text: &str| tools("s", &[&format!(r#"{{"name":"a","description":"{text}"}}"#)], RiskLevel::Safe);
    index.update_server("s", tool("page page page")).await.unwrap();
    until(|| slow.begun.load(Ordering::Relaxed) > 0).await;
    index.update_server("s", tool("folder folder")).await.unwrap();
    go_on.send(()).unwrap();
    index.waiting().wait_for(|left| *left == 1).await.unwrap();
    assert_eq!(index.stats().embedded, 0, "the vector was the other tool's");
    drop(go_on);
    index.embedded().await;
    let near = |text| {
        search(&index, text, SearchMode::Semantic).hits.first().map_or(0.0, |hit| hit.meaning.unwrap())
    };
    assert!(near("folder") > 0.99 && near("page") < 0.01, "{} {}", near("folder"), near("page"));
}

#[tokio::test]
async fn a_panicking_embedder_leaves_words_and_blocks_nobody() {
    let (go_on, waits) = mpsc::channel();
    drop(go_on);
    let broken =
        CountingEmbedder { waits: Some(Mutex::new(waits)), panics: true, ..CountingEmbedder::default() };
    let index = ToolIndex::builder().embedder(Arc::new(broken)).build().unwrap();
    fill(&index).await;
    within(index.embedded()).await;
    assert_eq!(index.stats().embedded, 0);
    assert_eq!(search(&index, "page", SearchMode::Hybrid).hits[0].tool.id().to_string(), "web.fetchPage");
}

#[tokio::test]
async fn an_unchanged_tool_is_not_embedded_again() {
    let embedder = Arc::new(CountingEmbedder::default());
    let index = ToolIndex::builder().embedder(embedder.clone()).build().unwrap();
    fill(&index).await;
    assert_eq!(embedder.passages.load(Ordering::Relaxed), 5);
    let changed = FILES[2].replace("entries", "files and pages");
    let listed = [FILES[0], FILES[1], &changed];
    index.update_server("files", tools("files", &listed, RiskLevel::Safe)).await.unwrap();
    assert_eq!(embedder.passages.load(Ordering::Relaxed), 6);
    assert_eq!(index.stats().embedded, 5);
}

#[tokio::test]
async fn without_a_query_vector_only_words_are_searched() {
    let broken = CountingEmbedder { fails: true, ..CountingEmbedder::default() };
    let none = ToolIndex::builder().without_embedder().build().unwrap();
    let broken = ToolIndex::builder().embedder(Arc::new(broken)).build().unwrap();
    let whole = ToolIndex::builder().embedder(Arc::new(CountingEmbedder::default())).build().unwrap();
    for (index, query) in [(none, "page"), (broken, "page"), (whole, "uploaded")] {
        fill(&index).await;
        for mode in [SearchMode::Semantic, SearchMode::Hybrid] {
            let found = search(&index, query, mode);
            assert_eq!((found.mode, found.signs), (SearchMode::Keyword, None));
            assert_eq!(&*found.hits[0].tool.id().server_id, "web");
        }
    }
}

/// Likes long texts, or nothing.
#[derive(Debug)]
struct LengthReranker {
    fails: bool,
}

impl Reranker for LengthReranker {
    fn rate(&self, _: &str, texts: &[String]) -> Result<Vec<f32>, EmbedError> {
        if self.fails {
            return Err(EmbedError::Model("out of order".to_owned()));
        }
        Ok(texts.iter().map(|text| text.len() as f32).collect())
    }
}

#[tokio::test]
async fn a_reranker_orders_the_first_results_unless_it_fails() {
    let mut orders = Vec::new();
    for fails in [false, true] {
        let index = ToolIndex::builder().reranker(Arc::new(LengthReranker { fails })).build().unwrap();
        fill(&index).await;
        let found = search(&index, "file", SearchMode::Hybrid);
        orders.push(found.hits.iter().map(|hit| hit.tool.id().to_string()).collect::<Vec<_>>());
        assert_eq!(
            best(&index, "write file", SearchMode::Keyword),
            "files.write_file",
            "words are not reranked"
        );
    }
    let plain = ToolIndex::new().unwrap();
    fill(&plain).await;
    let found = search(&plain, "file", SearchMode::Hybrid).hits;
    assert_eq!(orders[1], found.iter().map(|hit| hit.tool.id().to_string()).collect::<Vec<_>>());
    assert_eq!(orders[0][0], "files.read_file");
    assert_ne!(orders[0], orders[1]);
}
