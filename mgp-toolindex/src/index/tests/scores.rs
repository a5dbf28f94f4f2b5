//! Scores by words, compared with the formula computed in the plain way.

use crate::{
    fixtures::{FILES, WEB, tools},
    index::{Field, Hit, Query, Search, SearchMode, ToolIndex},
    tool::IndexedTool,
    words::each_word,
};
use mgp_transport::seam::FullVisibility;
use mgp_types::{
    context::{RiskLevel, ToolId},
    json::RawJson,
};
use std::{collections::HashMap, sync::Arc};

const K1: f32 = 4.0;
const B: f32 = 0.75;

/// Returns how often a tool has a word, and its number of words, each counted as often as its field's weight says.
fn said(tool: &IndexedTool, wanted: &str) -> (f32, f32) {
    let (mut frequency, mut length) = (0.0, 0.0);
    for field in Field::ALL.into_iter().filter(|field| *field != Field::WholeName) {
        each_word(field.text(tool), |word| {
            let weight = f32::from(field.weight());
            length += weight;
            frequency += if word == wanted { weight } else { 0.0 };
        });
    }
    (frequency, length)
}

fn expected(all: &[Arc<IndexedTool>], query: &Query) -> HashMap<ToolId, f32> {
    let mut scores: HashMap<ToolId, f32> = HashMap::new();
    let mean = all.iter().map(|tool| said(tool, "").1).sum::<f32>() / all.len() as f32;
    for word in query.words() {
        let with = all.iter().filter(|tool| said(tool, word).0 > 0.0).count() as f32;
        let rarity = (1.0 + (all.len() as f32 - with + 0.5) / (with + 0.5)).ln();
        for tool in all {
            let (frequency, length) = said(tool, word);
            let norm = K1 * (1.0 - B + B * length / mean);
            if frequency > 0.0 {
                *scores.entry(tool.id().clone()).or_default() +=
                    rarity * frequency * (K1 + 1.0) / (frequency + norm);
            }
        }
    }
    scores
}

async fn check(index: &ToolIndex, all: &[Arc<IndexedTool>]) {
    for text in ["file", "a folder or a page", "the lines at the start of a path", "web application"] {
        let query = Query::new(text).unwrap();
        let expected = expected(all, &query);
        let search = Search { mode: SearchMode::Keyword, limit: 10_000, ..Search::new(query) };
        let found = index.search(&search, &FullVisibility).unwrap().hits;
        assert_eq!(found.len(), expected.len(), "{text}");
        for Hit { tool, words, .. } in found {
            let plain = expected[tool.id()];
            assert!(
                (words - plain).abs() < 1e-3 * plain,
                "{text}: {} has {words}, expected {plain}",
                tool.id()
            );
        }
    }
}

#[tokio::test]
async fn scores_match_the_formula_across_segments_and_changes() {
    let index = ToolIndex::new().unwrap();
    let mut servers: Vec<Vec<Arc<IndexedTool>>> = Vec::new();
    for number in 0..150 {
        let id = format!("s{number}");
        let all = [tools(&id, FILES, RiskLevel::Safe), tools(&id, &WEB[..1], RiskLevel::Safe)].concat();
        index.update_server(id.as_str(), all.clone()).await.unwrap();
        servers.push(all);
    }
    check(&index, &servers.concat()).await;
    // Slots are used again, for tools that say other things.
    for (number, server) in servers.iter_mut().enumerate().step_by(3) {
        let id = format!("s{number}");
        *server = tools(&id, WEB, RiskLevel::Safe);
        index.update_server(id.as_str(), server.clone()).await.unwrap();
    }
    check(&index, &servers.concat()).await;
}

#[tokio::test]
async fn a_meaningless_name_is_found_as_a_name() {
    let index = ToolIndex::builder().without_embedder().build().unwrap();
    let definition =
        RawJson::parse(r#"{"name":"which","description":"Tells where a program is."}"#.to_owned());
    let which = IndexedTool::new("shell", &definition.unwrap(), RiskLevel::Safe).unwrap();
    index.update_server("shell", vec![Arc::new(which)]).await.unwrap();
    index.update_server("files", tools("files", FILES, RiskLevel::Safe)).await.unwrap();
    let best =
        |text: &str| index.search(&Search::new(Query::new(text).unwrap()), &FullVisibility).unwrap().hits;
    let found = best("which");
    assert_eq!((&*found[0].tool.id().tool_name, found[0].evidence.coverage), ("which", 1.0));
    assert!(
        best("which list").iter().all(|hit| hit.evidence.coverage < 1.0),
        "it may be a word of a sentence"
    );
}
