//! Searching by words, and what comes and goes.

use crate::fixtures::{FILES, FewTools, WEB, tools};
use crate::index::{Field, IndexError, Query, Search, SearchFilter, SearchMode, SearchResult, ToolIndex};
use mgp_transport::seam::{FullVisibility, ToolView};
use mgp_types::context::RiskLevel;
use std::sync::Arc;

async fn index() -> ToolIndex {
    let index = ToolIndex::new().unwrap();
    index.update_server("files", tools("files", FILES, RiskLevel::Moderate)).await.unwrap();
    index.update_server("web", tools("web", WEB, RiskLevel::Dangerous)).await.unwrap();
    index
}

fn search(index: &ToolIndex, query: &str, view: &dyn ToolView) -> SearchResult {
    index
        .search(&Search { mode: SearchMode::Keyword, ..Search::new(Query::new(query).unwrap()) }, view)
        .unwrap()
}

fn found(result: &SearchResult) -> Vec<String> {
    result.hits.iter().map(|hit| hit.tool.id().to_string()).collect()
}

fn find(index: &ToolIndex, query: &str) -> Vec<String> {
    found(&search(index, query, &FullVisibility))
}

#[tokio::test]
async fn a_sentence_finds_its_tool() {
    let index = index().await;
    for (sentence, tool) in [
        ("what does this text file contain?", "files.read_file"),
        ("create a new file with this content", "files.write_file"),
        ("list what is in this folder", "files.list_directory"),
        ("download pages from the internet", "web.fetchPage"),
        ("FETCH_PAGE", "web.fetchPage"),
        ("timezones", "web.fetchPage"),
        ("listing directories", "files.list_directory"),
    ] {
        assert_eq!(find(&index, sentence)[0], tool, "{sentence}");
    }
}

#[tokio::test]
async fn the_same_search_finds_the_same_regardless_of_history() {
    let fresh = index().await;
    let used = index().await;
    for _ in 0..3 {
        used.update_server("files", tools("files", WEB, RiskLevel::Safe)).await.unwrap();
        used.update_server("files", tools("files", FILES, RiskLevel::Moderate)).await.unwrap();
    }
    for query in ["file", "read a file", "page", "path"] {
        let scores = |index| {
            let result = search(index, query, &FullVisibility);
            result.hits.iter().map(|hit| (hit.tool.id().to_string(), hit.score.to_bits())).collect::<Vec<_>>()
        };
        assert_eq!(scores(&fresh), scores(&used), "{query}");
    }
}

#[tokio::test]
async fn equal_tools_are_ordered_by_server_and_name() {
    let index = ToolIndex::new().unwrap();
    let same = [r#"{"name":"ping_two","description":"d"}"#, r#"{"name":"ping_one","description":"d"}"#];
    for server in ["z", "y"] {
        index.update_server(server, tools(server, &same, RiskLevel::Safe)).await.unwrap();
    }
    assert_eq!(find(&index, "ping"), ["y.ping_one", "y.ping_two", "z.ping_one", "z.ping_two"]);
}

#[tokio::test]
async fn the_order_does_not_depend_on_the_number_of_results() {
    let index = index().await;
    let names = |limit| {
        let search = Search { limit, ..Search::new(Query::new("read a file or a page").unwrap()) };
        found(&index.search(&search, &FullVisibility).unwrap())
    };
    let all = names(usize::MAX);
    assert_eq!(all.len(), 5);
    for limit in [0, 1, 3, 5, 256, 257] {
        assert_eq!(names(limit), all[..limit.min(5)], "{limit}");
    }
}

#[tokio::test]
async fn hidden_tools_take_no_slot_among_the_results() {
    let index = index().await;
    let (one, other) =
        (FewTools::these(&["files.write_file", "web.read_file"]), FewTools::these(&["files.read_file"]));
    let query = Query::new("read a file").unwrap();
    let best =
        |view: &dyn ToolView| index.search(&Search { limit: 1, ..Search::new(query.clone()) }, view).unwrap();
    assert_eq!((found(&best(&one)), best(&one).total_available), (vec!["web.read_file".to_owned()], 2));
    assert_eq!((found(&best(&other)), best(&other).total_available), (vec!["files.read_file".to_owned()], 1));
    let nobody = best(&FewTools::these(&[]));
    assert_eq!((nobody.hits.len(), nobody.total_available), (0, 0));
    assert_eq!(index.browse(&SearchFilter::default(), &other).0.len(), 1);
}

#[tokio::test]
async fn a_slip_in_a_name_is_forgiven_if_nothing_else_fits() {
    let index = index().await;
    assert_eq!(find(&index, "direcotry"), ["files.list_directory"]);
    assert_eq!(find(&index, "fetchpag"), ["web.fetchPage"]);
    assert_eq!(find(&index, "xyzzy"), [""; 0]);
    let hidden = search(&index, "direcotry", &FewTools::these(&["web.fetchPage"]));
    assert_eq!(hidden.hits, []);
    let query = Query::new("direcotry").unwrap();
    assert_eq!(search(&index, "direcotry", &FullVisibility).hits[0].matched_fields(&query), []);
}

#[tokio::test]
async fn filters_narrow_the_search() {
    let index = index().await;
    let with = |filter: SearchFilter| {
        let query = Query::new("read write list fetch file page").unwrap();
        let search = Search { filter, mode: SearchMode::Keyword, ..Search::new(query) };
        found(&index.search(&search, &FullVisibility).unwrap())
    };
    let servers = SearchFilter { servers: Some([Arc::from("web")].into()), ..SearchFilter::default() };
    assert!(with(servers).iter().all(|tool| tool.starts_with("web.")));
    let calm = SearchFilter { risk_level_max: Some(RiskLevel::Moderate), ..SearchFilter::default() };
    assert!(with(calm).iter().all(|tool| tool.starts_with("files.")));
    let filed = SearchFilter { categories: vec!["filesystem".into()], ..SearchFilter::default() };
    let mut both = with(filed.clone());
    both.sort();
    assert_eq!(both, ["files.read_file", "files.write_file"]);
    assert_eq!(index.browse(&filed, &FullVisibility).0.len(), 2);
    assert_eq!(with(SearchFilter { servers: Some(Default::default()), ..filed }), [""; 0]);
}

#[tokio::test]
async fn an_update_replaces_and_a_removal_removes() {
    let index = index().await;
    index.update_server("files", tools("files", &FILES[2..], RiskLevel::Safe)).await.unwrap();
    assert_eq!(find(&index, "write content"), [""; 0]);
    assert_eq!(search(&index, "x", &FullVisibility).total_available, 3);
    index.remove_server("web").await.unwrap();
    index.remove_server("never was").await.unwrap();
    assert_eq!(find(&index, "page file directory"), ["files.list_directory"]);
    index.update_server("web", tools("web", WEB, RiskLevel::Safe)).await.unwrap();
    assert_eq!(search(&index, "x", &FullVisibility).total_available, 3);
}

#[tokio::test]
async fn many_concurrent_updates_are_all_applied() {
    let index = ToolIndex::new().unwrap();
    let updates = (0..200).map(|i| {
        let index = index.clone();
        tokio::spawn(async move {
            let server = format!("s{i}");
            index.update_server(server.as_str(), tools(&server, FILES, RiskLevel::Safe)).await
        })
    });
    for update in updates.collect::<Vec<_>>() {
        update.await.unwrap().unwrap();
    }
    let all = Search { mode: SearchMode::Keyword, limit: 1000, ..Search::new(Query::new("file").unwrap()) };
    let found = index.search(&all, &FullVisibility).unwrap();
    assert_eq!((found.total_available, found.hits.len()), (600, 400), "folders are no files");
}

#[tokio::test]
async fn a_full_index_reports_it_and_stays_unchanged() {
    let index = index().await;
    let one = tools("files", &FILES[..1], RiskLevel::Safe).remove(0);
    let error = index.update_server("files", vec![one; crate::index::MAX_TOOLS]).await.unwrap_err();
    assert!(matches!(error, IndexError::Full { wanted: 1_000_002 }), "{error}");
    assert_eq!(search(&index, "x", &FullVisibility).total_available, 5);
}

#[tokio::test]
async fn hits_report_field_and_score() {
    let index = index().await;
    let result = search(&index, "read_file path", &FullVisibility);
    let best = &result.hits[0];
    let expected = [
        Field::WholeName,
        Field::Name,
        Field::Title,
        Field::Server,
        Field::Description,
        Field::Parameters,
        Field::ParameterDescriptions,
    ];
    assert_eq!(best.tool.id().to_string(), "files.read_file");
    assert_eq!(best.matched_fields(&Query::new("read_file path").unwrap()), expected);
    let relevances: Vec<f64> = result.hits.iter().map(crate::index::Hit::relevance).collect();
    assert!(relevances.is_sorted_by(|a, b| a >= b) && relevances.iter().all(|r| (0.0..1.0).contains(r)));
    assert!(relevances[1] > relevances[2], "{relevances:?}");
}
