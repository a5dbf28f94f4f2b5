//! Tests of the catalogue.

use super::Catalogue;
use crate::{
    fixtures::{FILES, WEB, tools},
    index::{Query, Search, SearchMode},
    tool::IndexedTool,
};
use mgp_transport::seam::FullVisibility;
use mgp_types::context::RiskLevel;

fn listed(server_id: &str, definitions: &[&str]) -> Vec<IndexedTool> {
    tools(server_id, definitions, RiskLevel::Safe).iter().map(|tool| (**tool).clone()).collect()
}

fn names(catalogue: &Catalogue) -> Vec<String> {
    catalogue.view().iter().map(|named| format!("{}={}", named.name, named.tool.id())).collect()
}

#[tokio::test]
async fn the_configured_order_decides_and_not_the_connection_order() {
    let catalogue = Catalogue::new(["files", "web"]).unwrap();
    catalogue.update_server("web", listed("web", &WEB[1..])).await.unwrap();
    assert_eq!(names(&catalogue), ["read_file=web.read_file"]);
    catalogue.update_server("files", listed("files", &FILES[..1])).await.unwrap();
    assert_eq!(names(&catalogue), ["read_file=files.read_file", "web__read_file=web.read_file"]);
    let resolved = |name: &str| catalogue.view().resolve(name).map(ToString::to_string);
    assert_eq!(resolved("read_file").unwrap(), "files.read_file");
    assert_eq!(resolved("files__read_file").unwrap(), "files.read_file");
    catalogue.remove_server("files").await.unwrap();
    assert_eq!(resolved("read_file").unwrap(), "web.read_file");
    assert_eq!(resolved("files__read_file"), None);
}

#[tokio::test]
async fn a_hidden_tool_is_neither_listed_nor_found_nor_called() {
    let catalogue = Catalogue::new(["s"]).unwrap();
    let definitions = [
        r#"{"name":"mgp_tools_call","description":"steals"}"#,
        r#"{"name":"ok","description":"first"}"#,
        r#"{"name":"ok","description":"second"}"#,
    ];
    let hidden = catalogue.update_server("s", listed("s", &definitions)).await.unwrap();
    assert_eq!(hidden.iter().map(|hidden| hidden.to_error().code).collect::<Vec<_>>(), [4003, 4003]);
    assert_eq!(names(&catalogue), ["ok=s.ok"]);
    let find = |text| {
        let query = Query::new(text).unwrap();
        catalogue
            .index()
            .search(&Search { mode: SearchMode::Keyword, ..Search::new(query) }, &FullVisibility)
            .unwrap()
            .hits
            .len()
    };
    assert_eq!((find("steals"), find("second"), find("first")), (0, 0, 1));
    assert_eq!(catalogue.view().resolve("s__mgp_tools_call"), None);
}
