//! Tests of discovery, with two principals that see different tools.

use super::{Discovery, ServerStates};
use crate::{
    catalogue::Catalogue,
    fixtures::{FILES, FewTools, WEB, tools},
};
use mgp_transport::seam::{Incoming, Reply, ToolView, Visibility};
use mgp_types::{
    context::{Principal, RiskLevel},
    json::RawJson,
    lifecycle::ServerState,
    rpc::RawParams,
    tool_index::{DiscoverToolsParams, DiscoverToolsResult, SearchStrategy},
};
use serde_json::json;
use std::{collections::HashSet, sync::Arc};
use tower::ServiceExt;

/// Ann sees the tools that read, Bob sees the tools that write, and nobody else sees any.
#[derive(Debug)]
struct AnnAndBob;

impl Visibility for AnnAndBob {
    fn view(&self, principal: &Principal) -> Arc<dyn ToolView> {
        Arc::new(match principal.id() {
            "ann" => FewTools::these(&["files.read_file", "web.read_file", "files.list_directory"]),
            "bob" => FewTools::these(&["files.write_file", "web.fetchPage"]),
            _ => FewTools::these(&[]),
        })
    }
}

/// Only the server for files is up.
#[derive(Debug)]
struct FileServerStates;

impl ServerStates for FileServerStates {
    fn in_state(&self, state: ServerState) -> Option<HashSet<Arc<str>>> {
        Some([Arc::from(if state == ServerState::Connected { "files" } else { "web" })].into())
    }
}

async fn discovery() -> Discovery {
    let catalogue = Catalogue::new(["files", "web"]).unwrap();
    for (id, definitions, risk) in [("files", FILES, RiskLevel::Moderate), ("web", WEB, RiskLevel::Dangerous)]
    {
        let tools = tools(id, definitions, risk).iter().map(|tool| (**tool).clone()).collect();
        catalogue.update_server(id, tools).await.unwrap();
    }
    Discovery::new(catalogue, Arc::new(AnnAndBob)).with_states(Arc::new(FileServerStates))
}

async fn ask(caller: Option<&str>, params: &str) -> Reply {
    let methods = Discovery::routes().with_state(discovery().await);
    let params = RawParams::from(RawJson::parse(params.to_owned()).unwrap());
    let mut message = Incoming::request(1, "mgp/tools/discover", params);
    if let Some(caller) = caller {
        message.ext.insert(Principal::agent(caller));
    }
    methods.oneshot(message).await.unwrap()
}

async fn found(caller: &str, params: &str) -> DiscoverToolsResult {
    ask(Some(caller), params).await.result().unwrap().decode().unwrap()
}

async fn names(caller: &str, params: &str) -> Vec<String> {
    found(caller, params).await.tools.into_iter().map(|tool| tool.name).collect()
}

#[tokio::test]
async fn a_slip_finds_its_tool_and_an_unserved_query_nothing() {
    for query in ["direcotry", "list_directry"] {
        let params = format!(r#"{{"query":"{query}","strategy":"keyword"}}"#);
        assert_eq!(names("ann", &params).await, ["list_directory"], "{query}");
    }
    for query in ["xyzzy", "bake a loaf of rye bread", "translate a contract into Portuguese"] {
        for strategy in ["keyword", "semantic"] {
            let params = format!(r#"{{"query":"{query}","strategy":"{strategy}"}}"#);
            assert_eq!(names("ann", &params).await, [""; 0], "{query}");
        }
    }
}

/// The hints of an answer.
async fn hints(caller: &str, params: &str) -> Vec<String> {
    found(caller, params).await.notes.map(|notes| notes.hints).unwrap_or_default()
}

#[tokio::test]
async fn an_empty_search_gives_advice_and_hides_hidden_tools() {
    for strategy in ["keyword", "semantic"] {
        let of = |query: &str| format!(r#"{{"query":"{query}","strategy":"{strategy}"}}"#);
        let said = hints("ann", &of("bake a loaf of rye bread")).await.join("");
        assert!(said.starts_with("none of the 3 tools that you may call serves this query: "), "{said}");
        assert!(said.contains("other words") && said.contains(r#""category""#), "{said}");
        let said = hints("bob", &of("パンを焼く")).await.join("");
        assert!(said.starts_with("none of the 2 tools") && said.contains("mostly English"), "{said}");
        let narrow = format!(
            r#"{{"query":"bake a loaf of rye bread","strategy":"{strategy}","filter":{{"server_id":"files"}}}}"#
        );
        let said = hints("ann", &narrow).await.join("");
        assert!(said.ends_with("or without `filter`"), "{said}");
        assert_eq!(hints("ann", &of("read file")).await, [""; 0]);
        assert_eq!(hints("eve", &of("read file")).await, [""; 0], "it may call no tool at all");
    }
    let risky = r#"{"query":"read file","filter":{"risk_level_max":"safe"}}"#;
    assert_eq!(hints("ann", risky).await, [""; 0], "`above_risk` says why");
}

#[tokio::test]
async fn fewer_results_are_the_first_of_more() {
    for query in ["read a file", "look into a folder", "upload"] {
        let asked = |max: usize| format!(r#"{{"query":"{query}","max_results":{max}}}"#);
        let (one, all) = (names("ann", &asked(1)).await, names("ann", &asked(10)).await);
        assert_eq!(one, all[..1], "{query}");
    }
}

#[tokio::test]
async fn each_principal_finds_only_tools_it_may_call() {
    let query = r#"{"query":"read or write a file, fetch a page, list a folder","max_results":50}"#;
    let mut ann = names("ann", query).await;
    ann.sort();
    assert_eq!(ann, ["list_directory", "read_file", "web__read_file"]);
    let mut bob = names("bob", query).await;
    bob.sort();
    assert_eq!(bob, ["fetchPage", "write_file"]);
    assert_eq!(names("eve", query).await, [""; 0]);
    let totals = [("ann", 3), ("bob", 2), ("eve", 0)];
    for (caller, total) in totals {
        assert_eq!(found(caller, query).await.total_available, total);
    }
}

#[tokio::test]
async fn hidden_tools_cost_a_principal_no_results() {
    assert_eq!(names("ann", r#"{"query":"write_file content","max_results":1}"#).await, ["read_file"]);
}

#[tokio::test]
async fn a_result_has_all_a_call_needs() {
    let reply = ask(Some("ann"), r#"{"query":"read file","strategy":"semantic","max_results":1}"#).await;
    let result: DiscoverToolsResult = reply.result().unwrap().decode().unwrap();
    assert_eq!(result.search_strategy, SearchStrategy::Semantic);
    let tool = &result.tools[0];
    assert_eq!((tool.name.as_str(), tool.server_id.as_str()), ("read_file", "files"));
    assert!(tool.input_schema.as_str().contains(r#""description":"Where the file is""#));
    assert!(tool.relevance_score > 0.0 && tool.relevance_score < 1.0);
    let security = tool.security.as_ref().unwrap();
    assert_eq!(security.permissions(), ["filesystem.read"]);
    assert_eq!(security.other.text("effective_risk_level").unwrap(), "moderate");
}

#[tokio::test]
async fn filters_are_applied() {
    let with = |filter: &str| format!(r#"{{"query":"file","max_results":9,"filter":{filter}}}"#);
    assert_eq!(names("ann", &with(r#"{"status":"connected","server_id":"web"}"#)).await, [""; 0]);
    assert_eq!(names("ann", &with(r#"{"server_id":"web"}"#)).await, ["web__read_file"]);
    assert_eq!(names("ann", &with(r#"{"status":"error"}"#)).await, ["web__read_file"]);
    let calm = names("ann", &with(r#"{"risk_level_max":"moderate"}"#)).await;
    assert!(
        calm.contains(&"read_file".to_owned()) && !calm.contains(&"web__read_file".to_owned()),
        "{calm:?}"
    );
    assert_eq!(names("ann", &with(r#"{"categories":["FileSystem"]}"#)).await, ["read_file"]);
}

#[tokio::test]
async fn a_category_can_be_browsed_without_words() {
    let params = r#"{"query":"","strategy":"category","filter":{"categories":["web","filesystem"]}}"#;
    let result = found("bob", params).await;
    let names: Vec<_> = result.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!((names, result.search_strategy.as_str()), (vec!["write_file", "fetchPage"], "category"));
    let params = r#"{"query":"page","strategy":"category","filter":{"categories":["web","filesystem"]}}"#;
    assert_eq!(super::tests::names("bob", params).await, ["fetchPage", "write_file"]);
}

/// The categories of an answer, as `category=tools`.
async fn counted(caller: &str, params: &str) -> Vec<String> {
    let index = found(caller, params).await.notes.unwrap().categories.unwrap();
    index.categories.into_iter().map(|counted| format!("{}={}", counted.category, counted.tools)).collect()
}

#[tokio::test]
async fn each_principal_browses_its_own_tools_from_the_top() {
    let top = r#"{"query":"","strategy":"category"}"#;
    assert_eq!(counted("ann", top).await, ["files=2", "filesystem=1", "web=1"]);
    assert_eq!(counted("bob", top).await, ["files=1", "filesystem=1", "web=1"]);
    assert_eq!(counted("eve", top).await, [""; 0]);
    assert_eq!(names("ann", top).await, [""; 0], "at the top there are no tools");
    let below = r#"{"query":"","strategy":"category","filter":{"categories":[" FileSystem "]}}"#;
    assert_eq!(counted("ann", below).await, ["filesystem/read=1"]);
    assert_eq!(counted("bob", below).await, ["filesystem/write=1"]);
    assert_eq!(
        (names("ann", below).await, names("bob", below).await),
        (vec!["read_file".to_owned()], vec!["write_file".to_owned()])
    );
    let deeper = r#"{"query":"","strategy":"category","filter":{"categories":["filesystem/read"]}}"#;
    assert_eq!((names("ann", deeper).await.len(), names("bob", deeper).await.len()), (1, 0));
    for none in ["filesystem/", "file", "", "a//b", "filesystem/read/x"] {
        let params = format!(r#"{{"query":"","strategy":"category","filter":{{"categories":["{none}"]}}}}"#);
        assert_eq!(names("ann", &params).await, [""; 0], "{none}");
    }
}

#[tokio::test]
async fn an_out_of_bounds_value_is_named() {
    let long = format!(r#"{{"query":"{}"}}"#, "x".repeat(4097));
    let many = format!(r#"{{"query":"x","filter":{{"categories":[{}"a"]}}}}"#, r#""a","#.repeat(50));
    for (params, text) in [
        ("{}", "missing field `query`"),
        (r#"{"query":" "}"#, "invalid query: empty"),
        (long.as_str(), "invalid query: 4097 bytes: expected at most 4096"),
        (r#"{"query":"x","max_results":0}"#, "invalid max_results: 0: expected 1 to 50"),
        (r#"{"query":"x","max_results":51}"#, "invalid max_results: 51"),
        (r#"{"query":"x","strategy":"category"}"#, "invalid filter.categories: missing"),
        (r#"{"query":"x","filter":{"risk_level_max":"mild"}}"#, "unknown variant `mild`"),
        (many.as_str(), "invalid filter.categories: 51 entries"),
    ] {
        let reply = ask(Some("ann"), params).await;
        let error = reply.as_error().unwrap();
        assert!(error.code == -32602 && error.message.contains(text), "{error}");
    }
    assert_eq!(ask(None, r#"{"query":"x"}"#).await.as_error().unwrap().code, 1002);
}

#[tokio::test]
async fn models_and_programs_get_the_same_from_the_meta_tool() {
    let discovery = discovery().await.with_default_results(1);
    let ann = Principal::agent("ann");
    let ask = |query: &str| {
        let params = DiscoverToolsParams { query: query.into(), ..DiscoverToolsParams::default() };
        discovery.call(&ann, &params)
    };
    let result = ask("read file");
    let structured: DiscoverToolsResult = result.structured_content.as_ref().unwrap().decode().unwrap();
    assert_eq!(structured.tools.len(), 1);
    assert_eq!(result.content[0].as_text().unwrap(), result.structured_content.unwrap().as_str());
    let failure = ask("");
    assert!(failure.failed() && failure.content[0].as_text().unwrap().contains("invalid query"));
}

/// The notes of an answer about tools that stand above the risk that was asked for.
async fn above(caller: &str, params: &str) -> Option<serde_json::Value> {
    let notes = serde_json::to_value(found(caller, params).await.notes).unwrap();
    notes.get("above_risk").cloned()
}

#[tokio::test]
async fn visible_tools_above_the_requested_risk_are_counted() {
    let with = |most: &str| {
        format!(r#"{{"query":"read or write a file, fetch a page","filter":{{"risk_level_max":"{most}"}}}}"#)
    };
    assert_eq!(names("ann", &with("safe")).await, [""; 0]);
    let said = above("ann", &with("safe")).await.unwrap();
    // The third one that she may see does not serve, of whatever risk.
    assert_eq!((&said["tools"], &said["lowest_risk_level"]), (&json!(2), &json!("moderate")), "{said}");
    let hint = said["hint"].as_str().unwrap();
    assert!(hint.contains("2 tools") && hint.contains(r#""risk_level_max": "moderate""#), "{hint}");
    // That of the web is more dangerous.
    let said = above("ann", &with("moderate")).await.unwrap();
    assert_eq!((&said["tools"], &said["lowest_risk_level"]), (&json!(1), &json!("dangerous")), "{said}");
    assert_eq!(above("ann", &with("dangerous")).await, None);
    assert_eq!(above("eve", &with("safe")).await, None, "it may see none of them");
    let nothing = r#"{"query":"bake a loaf of rye bread","filter":{"risk_level_max":"safe"}}"#;
    assert_eq!(above("ann", nothing).await, None, "nothing of any risk serves");
}

#[tokio::test]
async fn a_category_counts_its_tools_above_the_requested_risk() {
    let params =
        r#"{"query":"","strategy":"category","filter":{"categories":["web"],"risk_level_max":"safe"}}"#;
    let said = above("bob", params).await.unwrap();
    assert_eq!((&said["tools"], &said["lowest_risk_level"]), (&json!(1), &json!("dangerous")), "{said}");
    let top = r#"{"query":"","strategy":"category","filter":{"risk_level_max":"safe"}}"#;
    assert_eq!(above("bob", top).await.unwrap()["tools"], 2);
}
