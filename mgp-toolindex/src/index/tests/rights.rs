//! A tool that the caller may not see does not exist for the caller.

use crate::{
    fixtures::{FILES, FewTools, WEB, tools},
    index::{Query, Search, SearchMode, ToolIndex},
};
use mgp_transport::seam::{FullVisibility, ToolView};
use mgp_types::context::{RiskLevel, ToolId};

#[tokio::test]
async fn hidden_tools_change_no_result_and_no_score() {
    let (all, part) = (ToolIndex::new().unwrap(), ToolIndex::new().unwrap());
    all.update_server("files", tools("files", FILES, RiskLevel::Safe)).await.unwrap();
    all.update_server("web", tools("web", WEB, RiskLevel::Safe)).await.unwrap();
    part.update_server("files", tools("files", &FILES[..2], RiskLevel::Safe)).await.unwrap();
    let seen = FewTools::these(&["files.read_file", "files.write_file"]);
    for mode in [SearchMode::Keyword, SearchMode::Semantic, SearchMode::Hybrid] {
        for query in ["read a file", "file", "page", "fetchPage", "path of a folder", "direcotry", "listt"] {
            let search = Search { mode, ..Search::new(Query::new(query).unwrap()) };
            let (hidden, absent) =
                (all.search(&search, &seen).unwrap(), part.search(&search, &FullVisibility).unwrap());
            // Written out, since a tool is compared with all that it was made of.
            assert_eq!(format!("{hidden:?}"), format!("{absent:?}"), "{mode:?} {query}");
        }
    }
}

/// Decides for whole servers where it can, so that only the tools of `files` are checked one by one.
struct WholeServers;

impl ToolView for WholeServers {
    fn sees(&self, tool: &ToolId) -> bool {
        assert_eq!(&*tool.server_id, "files", "only of this server each tool is asked about");
        &*tool.tool_name == "read_file"
    }
    fn sees_server(&self, _: &str) -> bool {
        false
    }
    fn sees_all_tools(&self, server_id: &str) -> Option<bool> {
        (server_id != "files").then(|| server_id == "web")
    }
}

#[tokio::test]
async fn a_server_that_is_all_seen_or_all_hidden_is_checked_once() {
    let index = ToolIndex::new().unwrap();
    for server in ["files", "hidden"] {
        index.update_server(server, tools(server, FILES, RiskLevel::Safe)).await.unwrap();
    }
    index.update_server("web", tools("web", WEB, RiskLevel::Safe)).await.unwrap();
    let found = index.search(&Search::new(Query::new("read a file").unwrap()), &WholeServers).unwrap();
    let mut names: Vec<_> = found.hits.iter().map(|hit| hit.tool.id().to_string()).collect();
    names.sort();
    assert_eq!(names, ["files.read_file", "web.fetchPage", "web.read_file"]);
    assert_eq!(found.total_available, 3);
}
