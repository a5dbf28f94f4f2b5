//! Of very many tools not each is compared, and that changes nothing that anybody would notice.

use crate::{
    index::{Query, Search, SearchFilter, SearchMode, SearchResult, ToolIndex},
    tool::IndexedTool,
};
use mgp_transport::seam::{Everything, ToolView};
use mgp_types::{
    context::{RiskLevel, ToolId},
    json::RawJson,
};
use std::{collections::HashSet, sync::Arc, time::Duration};

const VERBS: &str = "create delete list archive translate schedule compare export print measure";
const NOUNS: &str = "invoice calendar photo recipe ticket playlist flight contract sensor garden";
const OTHERS: &str = "weekly shared draft foreign urgent broken public hidden spare annual";

/// From here on a graph is used.
const EXACT_TO: usize = 400;

fn tool(name: &str, description: &str) -> Arc<IndexedTool> {
    let definition = RawJson::parse(format!(r#"{{"name":"{name}","description":"{description}"}}"#)).unwrap();
    Arc::new(IndexedTool::new("many", &definition, RiskLevel::Safe).unwrap())
}

/// A thousand tools, each its own.
fn thousand() -> Vec<Arc<IndexedTool>> {
    let words = |text: &'static str| text.split(' ');
    let all = words(VERBS).flat_map(|verb| words(NOUNS).map(move |noun| (verb, noun)));
    let all = all.flat_map(|(verb, noun)| words(OTHERS).map(move |other| (verb, noun, other)));
    let named = |(verb, noun, other)| {
        tool(&format!("{verb}_{other}_{noun}"), &format!("Does {verb} the {other} {noun} of a person."))
    };
    all.map(named).collect()
}

/// The index once its graph is made.
async fn index(exact_to: usize) -> ToolIndex {
    let index = ToolIndex::builder().exact_to(exact_to).build().unwrap();
    index.update_server("many", thousand()).await.unwrap();
    if exact_to < 1000 {
        let made = async {
            while index.stats().neighbours == 0 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), made).await.expect("a graph is made");
    }
    index
}

fn search(index: &ToolIndex, text: &str, mode: SearchMode, view: &dyn ToolView) -> SearchResult {
    index.search(&Search { mode, ..Search::new(Query::new(text).unwrap()) }, view).unwrap()
}

fn names(found: &SearchResult) -> Vec<String> {
    found.hits.iter().map(|hit| hit.tool.id().tool_name.to_string()).collect()
}

/// Sees all tools but those of a word.
struct Without(&'static str);

impl ToolView for Without {
    fn sees(&self, tool: &ToolId) -> bool {
        !tool.tool_name.contains(self.0)
    }
    fn sees_server(&self, _: &str) -> bool {
        false
    }
}

#[tokio::test]
async fn a_graph_finds_nearly_what_comparing_all_finds() {
    let (exact, graph) = (index(10_000).await, index(EXACT_TO).await);
    assert_eq!((exact.stats().neighbours, graph.stats().neighbours), (0, 1000));
    let queries =
        ["throw away the bill", "put off my trip", "music for the party", "cook something from abroad"];
    for mode in [SearchMode::Semantic, SearchMode::Hybrid] {
        let mut same = 0;
        for query in queries {
            let found = [&exact, &graph].map(|index| search(index, query, mode, &Everything));
            assert_eq!(found[1].total_available, 1000);
            assert_eq!((found[0].hits.len(), found[1].hits.len()), (10, 10), "{query}");
            let expected: HashSet<_> = names(&found[0]).into_iter().collect();
            same += names(&found[1]).iter().filter(|name| expected.contains(*name)).count();
        }
        assert!(same >= 38, "{mode:?}: {same} of 40");
    }
}

#[tokio::test]
async fn what_is_hidden_stays_hidden_and_filters_see_all() {
    let index = index(EXACT_TO).await;
    for mode in [SearchMode::Keyword, SearchMode::Semantic, SearchMode::Hybrid] {
        let found = search(&index, "delete the invoice", mode, &Without("invoice"));
        assert_eq!((found.hits.len(), found.total_available), (10, 900));
        assert!(names(&found).iter().all(|name| !name.contains("invoice")), "{mode:?}");
    }
    let filter = SearchFilter { risk_level_max: Some(RiskLevel::Safe), ..SearchFilter::default() };
    let filtered = Search { filter, limit: 1000, ..Search::new(Query::new("bill").unwrap()) };
    let found = index.search(&filtered, &Everything).unwrap();
    assert!(found.hits.len() == 1000 && found.hits.iter().all(|hit| hit.meaning.is_some()));
}

#[tokio::test]
async fn tools_that_come_and_go_after_the_graph_was_made_are_found_and_not_found_at_once() {
    let index = index(EXACT_TO).await;
    let mut tools = thousand();
    tools.truncate(900);
    tools.push(tool("weather", "Tells how warm it will be tomorrow."));
    index.update_server("many", tools).await.unwrap();
    let found = search(&index, "temperature forecast", SearchMode::Semantic, &Everything);
    assert_eq!((found.total_available, names(&found)[0].as_str()), (901, "weather"));
    let gone = search(&index, "measure the annual garden", SearchMode::Hybrid, &Everything);
    assert!(names(&gone).iter().all(|name| !name.starts_with("measure")), "{:?}", names(&gone));
    index.update_server("many", vec![tool("weather", "Tells how warm it is.")]).await.unwrap();
    assert_eq!(index.stats().neighbours, 0, "few tools need no graph");
}
