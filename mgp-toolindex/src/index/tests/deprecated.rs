//! Tools that say that they are deprecated.

use crate::{
    fixtures::tools,
    index::{Query, Search, SearchMode, ToolIndex},
};
use mgp_transport::seam::FullVisibility;
use mgp_types::context::RiskLevel;

/// As the reference server for files has them.
const READ: [&str; 2] = [
    r#"{"name":"read_file","title":"Read File (Deprecated)",
        "description":"Read the complete contents of a file as text. DEPRECATED: Use read_text_file instead."}"#,
    r#"{"name":"read_text_file","title":"Read Text File",
        "description":"Read the complete contents of a file from the file system as text. Handles various text encodings."}"#,
];

async fn found(text: &str, mode: SearchMode, definitions: &[&str]) -> Vec<(String, f64)> {
    let index = ToolIndex::new().unwrap();
    index.update_server("s", tools("s", definitions, RiskLevel::Safe)).await.unwrap();
    let search = Search { mode, ..Search::new(Query::new(text).unwrap()) };
    let hits = index.search(&search, &FullVisibility).unwrap().hits;
    hits.iter().map(|hit| (hit.tool.id().tool_name.to_string(), hit.relevance())).collect()
}

#[tokio::test]
async fn a_deprecated_tool_ranks_below_its_equals() {
    for mode in [SearchMode::Keyword, SearchMode::Semantic, SearchMode::Hybrid] {
        for text in ["read a file", "read the contents of a file", "read_file"] {
            let found = found(text, mode, &READ).await;
            let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
            if text == "read_file" {
                assert!(names.contains(&"read_file"), "{mode:?}: {found:?}");
            } else {
                assert_eq!(names, ["read_text_file", "read_file"], "{mode:?} {text}: {found:?}");
                assert!(found[0].1 >= found[1].1, "{mode:?} {text}: {found:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_deprecated_tool_that_serves_by_itself_is_found() {
    let alone = found("read the contents of a file", SearchMode::Hybrid, &READ[..1]).await;
    assert!(alone[0].1 >= crate::index::FLOOR, "{alone:?}");
}
