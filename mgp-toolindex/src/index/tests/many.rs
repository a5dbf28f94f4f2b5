//! Of very many tools not each is compared, and that changes nothing that anybody would notice.

use super::embedders::Counting;
use crate::{
    index::{Fusion, Query, Search, SearchFilter, SearchMode, SearchResult, Signs, ToolIndex},
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

/// From here on there are clusters.
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

/// The index once its clusters are made.
async fn index(exact_to: usize) -> ToolIndex {
    let index = ToolIndex::builder().exact_to(exact_to).build().unwrap();
    index.update_server("many", thousand()).await.unwrap();
    if exact_to < 1000 {
        clusters(&index).await;
    }
    index
}

/// Waits until there are clusters.
async fn clusters(index: &ToolIndex) {
    let made = async {
        while index.stats().clusters == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), made).await.expect("clusters are made");
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
async fn clusters_find_nearly_what_comparing_all_finds() {
    let (exact, clustered) = (index(10_000).await, index(EXACT_TO).await);
    assert_eq!((exact.stats().clusters, clustered.stats().clusters), (0, 31));
    let queries =
        ["throw away the bill", "put off my trip", "music for the party", "cook something from abroad"];
    for mode in [SearchMode::Semantic, SearchMode::Hybrid] {
        let mut same = 0;
        for query in queries {
            let found = [&exact, &clustered].map(|index| search(index, query, mode, &Everything));
            assert_eq!(found[1].total_available, 1000);
            assert_eq!((found[0].hits.len(), found[1].hits.len()), (10, 10), "{query}");
            let expected: HashSet<_> = names(&found[0]).into_iter().collect();
            same += names(&found[1]).iter().filter(|name| expected.contains(*name)).count();
        }
        assert!(same >= 38, "{mode:?}: {same} of 40");
    }
}

#[tokio::test]
async fn who_may_not_see_all_and_who_filters_get_what_comparing_all_finds() {
    let (exact, clustered) = (index(10_000).await, index(EXACT_TO).await);
    let filter = SearchFilter { risk_level_max: Some(RiskLevel::Safe), ..SearchFilter::default() };
    for mode in [SearchMode::Keyword, SearchMode::Semantic, SearchMode::Hybrid] {
        let all = Search { mode, limit: 250, ..Search::new(Query::new("throw away the bill").unwrap()) };
        let filtered = Search { filter: filter.clone(), ..all.clone() };
        let many = Search { limit: 1000, ..all.clone() };
        let views: [(&Search, &dyn ToolView, usize); 3] =
            [(&all, &Without("invoice"), 900), (&filtered, &Everything, 1000), (&many, &Everything, 1000)];
        for (search, view, available) in views {
            let found = [&exact, &clustered].map(|index| index.search(search, view).unwrap());
            assert_eq!(found[0], found[1]);
            assert_eq!(found[1].total_available, available);
            assert!(names(&found[1]).iter().all(|name| available == 1000 || !name.contains("invoice")));
        }
    }
}

#[tokio::test]
async fn tools_that_are_gone_do_not_stand_in_the_way_of_others() {
    let (exact, clustered) = (index(10_000).await, index(EXACT_TO).await);
    let is_kept =
        |name: &str| ["delete", "list", "print", "measure"].contains(&name.split('_').next().unwrap());
    let kept: Vec<_> = thousand().into_iter().filter(|tool| is_kept(&tool.id().tool_name)).collect();
    for index in [&exact, &clustered] {
        index.update_server("many", kept.clone()).await.unwrap();
    }
    let clusters = clustered.snapshot.load().clusters.clone().expect("there are clusters still");
    assert_eq!((clustered.stats().tools, clusters.vectors()), (400, 400));
    let found = [&exact, &clustered]
        .map(|index| names(&search(index, "create an invoice", SearchMode::Semantic, &Everything)));
    assert_eq!(found[0], found[1]);
    assert_eq!(found[1].len(), 10);
}

#[tokio::test]
async fn what_only_words_found_is_compared_before_it_is_shown() {
    let mut fusion = Fusion { weights: [0.0; Signs::COUNT] };
    fusion.weights[0] = 3.0;
    let builder = ToolIndex::builder().embedder(Arc::new(Counting::default())).fusion(fusion);
    let index = builder.exact_to(EXACT_TO).build().unwrap();
    // The one half means what is asked for, as the embedder sees it; the other says a word of it.
    let half =
        |name: &'static str, text: &'static str| (0..700).map(move |at| tool(&format!("{name}{at}"), text));
    let tools = half("x", "A profile.").chain(half("y", "The quartz of a page.")).collect();
    index.update_server("many", tools).await.unwrap();
    clusters(&index).await;
    let query = Query::new("file with quartz").unwrap();
    let found = index.search(&Search { limit: 250, ..Search::new(query) }, &Everything).unwrap();
    let compared = found.hits.iter().filter(|hit| hit.meaning.is_some()).count();
    assert_eq!((found.hits.len(), compared), (250, 250));
    // All that say it fit the same, so they come by name.
    assert!(names(&found).is_sorted(), "{:?}", names(&found));
    let said = found.hits.iter().filter(|hit| hit.words > 0.0).count();
    assert!(said > 0, "or nothing is shown that only words found");
}

#[tokio::test]
async fn tools_that_come_and_go_after_the_clusters_were_made_are_found_and_not_found_at_once() {
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
    assert_eq!(index.stats().clusters, 0, "few tools need none");
}
