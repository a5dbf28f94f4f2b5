//! An index of a thousand tools, of which many are near to each other.

use crate::{
    index::{Query, Search, SearchMode, SearchResult, ToolIndex},
    tool::IndexedTool,
};
use mgp_transport::seam::{FullVisibility, ToolView};
use mgp_types::{context::RiskLevel, json::RawJson};
use std::sync::Arc;

const VERBS: &str = "create delete list archive translate schedule compare export print measure";
const NOUNS: &str = "invoice calendar photo recipe ticket playlist flight contract sensor garden";
const OTHERS: &str = "weekly shared draft foreign urgent broken public hidden spare annual";

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

/// Builds an index of these tools.
async fn index(tools: Vec<Arc<IndexedTool>>) -> ToolIndex {
    let index = ToolIndex::new().unwrap();
    index.update_server("many", tools).await.unwrap();
    index
}

fn search(index: &ToolIndex, text: &str, mode: SearchMode, view: &dyn ToolView) -> SearchResult {
    index.search(&Search { mode, ..Search::new(Query::new(text).unwrap()) }, view).unwrap()
}

fn names(found: &SearchResult) -> Vec<String> {
    found.hits.iter().map(|hit| hit.tool.id().tool_name.to_string()).collect()
}

#[tokio::test]
async fn removed_tools_do_not_obstruct_others() {
    let is_kept =
        |name: &str| ["delete", "list", "print", "measure"].contains(&name.split('_').next().unwrap());
    let kept: Vec<_> = thousand().into_iter().filter(|tool| is_kept(&tool.id().tool_name)).collect();
    let (fresh, shrunk) = (index(kept.clone()).await, index(thousand()).await);
    shrunk.update_server("many", kept).await.unwrap();
    assert_eq!((fresh.stats().tools, shrunk.stats().tools), (400, 400));
    for mode in [SearchMode::Keyword, SearchMode::Semantic, SearchMode::Hybrid] {
        let found = [&fresh, &shrunk]
            .map(|index| names(&search(index, "list an annual invoice", mode, &FullVisibility)));
        assert_eq!(found[0], found[1], "{mode:?}");
        assert_eq!(found[1].len(), 10, "{mode:?}");
    }
}

#[tokio::test]
async fn added_and_removed_tools_take_effect_at_once() {
    let index = index(thousand()).await;
    let mut tools = thousand();
    tools.truncate(900);
    tools.push(tool("weather", "Tells how warm it will be tomorrow."));
    index.update_server("many", tools).await.unwrap();
    let found = search(&index, "temperature forecast", SearchMode::Semantic, &FullVisibility);
    assert_eq!((found.total_available, names(&found)[0].as_str()), (901, "weather"));
    let gone = search(&index, "measure the annual garden", SearchMode::Hybrid, &FullVisibility);
    assert!(names(&gone).iter().all(|name| !name.starts_with("measure")), "{:?}", names(&gone));
}
