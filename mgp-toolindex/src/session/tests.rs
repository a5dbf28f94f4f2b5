//! Tests of sessions: what stays, what goes, and who sees it. The budget is the default one: 2000 for pinned tools, 3000 for searches,
//! 3000 for the cache, 8000 in all.

use super::{MAX_EVICTED, PinnedTools, Sessions, ToolSession};
use crate::{
    budget::{Budget, ToolContextBudget},
    catalogue::{Catalogue, NamedTool},
    discover::Discovery,
    fixtures::{FewTools, Prices, priced},
    tokens::TokenCounter,
    tool::IndexedTool,
};
use mgp_transport::seam::{FullVisibility, ToolView, Visibility};
use mgp_types::{
    context::{Principal, RiskLevel, ToolId},
    json::RawJson,
    tool_index::{DiscoverToolsParams, EvictToolsParams, SessionToolsResult},
};
use serde_json::{Value, json};
use std::sync::Arc;

/// Ann sees all; Bob sees `a` alone.
#[derive(Debug)]
struct AnnAndBob;

impl Visibility for AnnAndBob {
    fn view(&self, principal: &Principal) -> Arc<dyn ToolView> {
        match principal.id() {
            "ann" => Arc::new(FullVisibility),
            _ => Arc::new(FewTools::these(&["s.a"])),
        }
    }
}

struct Rig {
    catalogue: Catalogue,
    sessions: Sessions,
    counter: Arc<Prices>,
    session: ToolSession,
}

async fn rig(tools: &[(&str, u64)], pinned: &[&str]) -> Rig {
    let (catalogue, counter) = (priced(tools).await, Arc::new(Prices::default()));
    let budget = Budget::new(ToolContextBudget::default()).unwrap().with_counter(counter.clone());
    let pinned: PinnedTools = pinned.iter().copied().collect();
    let sessions = Sessions::new(catalogue.clone(), Arc::new(AnnAndBob), pinned, budget);
    Rig { catalogue, sessions, counter, session: ToolSession::default() }
}

fn ann() -> Principal {
    Principal::agent("ann")
}

impl Rig {
    fn touch(&self, names: &[&str]) {
        for name in names {
            let _ = self.session.touch(&ToolId::new("s", *name));
        }
    }

    fn cached(&self, principal: &Principal) -> Vec<String> {
        self.told(principal).cached
    }

    fn told(&self, principal: &Principal) -> SessionToolsResult {
        self.sessions.describe(&self.sessions.settle(principal, &self.session, false))
    }

    fn named(&self, names: &[&str]) -> Vec<NamedTool> {
        let view = self.catalogue.view();
        names.iter().map(|name| view.named(&ToolId::new("s", *name)).unwrap()).collect()
    }

    fn evict(&self, principal: &Principal, names: &[&str]) -> Result<(Vec<String>, u64), String> {
        let tools = names.iter().map(ToString::to_string).collect();
        let params = EvictToolsParams { tools, reason: None };
        let evicted = self.sessions.evict(principal, &self.session, &params, false);
        evicted.map(|done| (done.result.evicted, done.result.total_tokens)).map_err(|error| error.to_string())
    }
}

#[tokio::test]
async fn the_least_recently_used_tools_are_evicted() {
    let rig = rig(&[("a", 1000), ("b", 1000), ("c", 1000), ("d", 900), ("e", 200)], &[]).await;
    rig.touch(&["a", "b", "c"]);
    assert_eq!(rig.cached(&ann()), ["c", "b", "a"]);
    // It was found first and used last: so another one goes.
    rig.touch(&["a", "d"]);
    assert_eq!(rig.cached(&ann()), ["d", "a", "c"]);
    rig.touch(&["e"]);
    assert_eq!(rig.cached(&ann()), ["e", "d", "a"]);
    let told = rig.told(&ann());
    assert_eq!((told.total_tokens, told.max_tokens), (2100, 8000));
}

#[tokio::test]
async fn pinned_tools_are_never_evicted_and_may_shrink_the_cache() {
    let tools = [("a", 1000), ("b", 1000), ("c", 1000), ("p", 2000), ("q", 1500)];
    let at_ease = rig(&tools, &["p"]).await;
    at_ease.touch(&["a", "b", "c"]);
    assert_eq!(at_ease.cached(&ann()), ["c", "b", "a"], "the reserve is theirs whatever the cache holds");
    let crowded = rig(&tools, &["p", "s__q"]).await;
    // Of the pinned tools that are used, none becomes a cached one.
    crowded.touch(&["p", "a", "q", "b", "c"]);
    let told = crowded.told(&ann());
    assert_eq!((told.pinned, told.cached), (vec!["p".to_owned(), "q".to_owned()], vec!["c".to_owned()]));
    assert_eq!(told.total_tokens, 4500);
}

#[tokio::test]
async fn pinned_tools_that_use_everything_leave_nothing_and_stay() {
    let rig = rig(&[("a", 1), ("p", 9000)], &["p"]).await;
    rig.touch(&["a"]);
    let told = rig.told(&ann());
    assert_eq!((told.pinned, told.cached, told.total_tokens), (vec!["p".to_owned()], vec![], 9000));
    assert_eq!(rig.sessions.discovery_room(&ann(), false), 0);
}

#[tokio::test]
async fn a_tool_larger_than_the_cache_evicts_nobody() {
    let rig = rig(&[("a", 1000), ("huge", 3001)], &[]).await;
    rig.touch(&["a", "huge"]);
    assert_eq!(rig.cached(&ann()), ["a"]);
    assert!(!rig.session.touch(&ToolId::new("s", "huge")), "it is known to be no tool of the cache");
}

#[tokio::test]
async fn no_definition_is_counted_twice() {
    let rig = rig(&[("a", 10), ("b", 10), ("p", 10)], &["p"]).await;
    rig.touch(&["a", "b"]);
    for _ in 0..5 {
        rig.cached(&ann());
        rig.touch(&["b", "a"]);
        let _ = rig.sessions.load(&ann(), &rig.session, rig.named(&["a"]), false);
    }
    assert_eq!(rig.counter.counted(), 3);
}

#[tokio::test]
async fn loaded_tools_stay_until_evicted_and_only_new_ones_are_added() {
    let rig = rig(&[("a", 1000), ("b", 1500), ("c", 1000), ("p", 100)], &["p"]).await;
    rig.touch(&["c"]);
    let loaded = rig.sessions.load(&ann(), &rig.session, rig.named(&["c", "a", "p"]), false);
    assert_eq!((loaded.tools.len(), loaded.added, loaded.count, loaded.cut), (3, 1000, 3, None));
    assert!(loaded.changed);
    let again = rig.sessions.load(&ann(), &rig.session, rig.named(&["a"]), false);
    assert_eq!((again.added, again.count, again.changed), (0, 3, false));
    // Of the loaded tools, the least wanted one, which counts as used least recently, is evicted.
    let more = rig.sessions.load(&ann(), &rig.session, rig.named(&["b"]), false);
    assert_eq!((more.added, more.count), (1500, 3));
    assert_eq!(rig.cached(&ann()), ["b", "a"]);
}

#[tokio::test]
async fn the_most_wanted_tools_are_loaded_and_the_rest_is_named() {
    let rig = rig(&[("a", 2000), ("b", 900), ("c", 200), ("d", 50), ("huge", 5000)], &[]).await;
    let wanted = rig.named(&["huge", "a", "b", "c", "d"]);
    let loaded = rig.sessions.load(&ann(), &rig.session, wanted, false);
    assert_eq!((loaded.added, rig.cached(&ann())), (2900, vec!["a".to_owned(), "b".to_owned()]));
    let cut = loaded.cut.unwrap();
    assert_eq!((cut.left_out, cut.reserve, cut.too_large[0].name.as_str()), (3, 3000, "huge"));
}

#[tokio::test]
async fn a_pinned_tool_is_refused_by_name_without_any_eviction() {
    let rig = rig(&[("a", 1000), ("b", 1000), ("p", 100)], &["p"]).await;
    rig.touch(&["a", "b"]);
    let refused = rig.evict(&ann(), &["a", "p"]).unwrap_err();
    assert_eq!(refused, "invalid tools: pinned tools are never evicted: p (-32602)");
    assert_eq!(rig.cached(&ann()), ["b", "a"]);
    // By either name. A tool that does not exist, or that is named twice, is passed over.
    assert_eq!(rig.evict(&ann(), &["s__a", "a", "nothing", "s__"]), Ok((vec!["a".to_owned()], 1100)));
    assert_eq!(rig.evict(&ann(), &["a"]), Ok((vec![], 1100)));
}

#[tokio::test]
async fn eviction_reveals_no_foreign_tool() {
    let rig = rig(&[("a", 1000), ("b", 1000), ("p", 100)], &["p"]).await;
    let bob = Principal::agent("bob");
    rig.touch(&["a"]);
    let there_is_none = rig.evict(&bob, &["nothing"]);
    assert_eq!(there_is_none, Ok((vec![], 1000)), "the pinned tool is not his and does not count");
    assert_eq!(rig.evict(&bob, &["p"]), there_is_none);
    assert_eq!(rig.evict(&bob, &["b"]), there_is_none);
}

#[tokio::test]
async fn a_revoked_tool_leaves_the_session() {
    let rig = rig(&[("a", 1000), ("b", 1000)], &[]).await;
    rig.touch(&["a", "b"]);
    assert_eq!(rig.cached(&ann()), ["b", "a"]);
    let settled = rig.sessions.settle(&Principal::agent("bob"), &rig.session, false);
    assert!(settled.changed && settled.cached.len() == 1);
    assert_eq!(rig.cached(&Principal::agent("bob")), ["a"]);
    rig.catalogue.remove_server("s").await.unwrap();
    assert_eq!(rig.cached(&ann()), [""; 0]);
}

/// A counter of bytes.
#[derive(Debug)]
struct Bytes;

impl TokenCounter for Bytes {
    fn count(&self, text: &str) -> u64 {
        text.len() as u64
    }
}

#[tokio::test]
async fn details_that_do_not_fit_are_cut_examples_first() {
    let tool = |name: &str| {
        let definition = json!({
            "name": name,
            "description": "tool",
            "outputSchema": {"type": "object", "description": "o".repeat(450)},
            "annotations": {"readOnlyHint": true},
            "_meta": {"own": "m".repeat(250), "dev.cloto/tool": {"examples": [{"arguments": {"text": "e".repeat(700)}}]}}
        });
        IndexedTool::new("s", &RawJson::from_value(&definition).unwrap(), RiskLevel::Safe).unwrap()
    };
    let catalogue = Catalogue::new(["s"]).unwrap();
    let tools = ["tool_a", "tool_b", "tool_c", "tool_d"].map(tool);
    catalogue.update_server("s", tools.into()).await.unwrap();
    let budget = Budget::new(ToolContextBudget::default()).unwrap().with_counter(Arc::new(Bytes));
    let sessions = Sessions::new(catalogue.clone(), Arc::new(AnnAndBob), PinnedTools::default(), budget);
    let discovery = Discovery::new(catalogue, Arc::new(AnnAndBob)).with_sessions(sessions);
    let params = DiscoverToolsParams { query: "tool".to_owned(), ..DiscoverToolsParams::default() };
    let found = discovery.discover(&ann(), &params).unwrap();
    // The first has the room of a whole one, and each other one what is left.
    let shown: Vec<Value> = found.tools.iter().map(|tool| serde_json::to_value(tool).unwrap()).collect();
    let has = |tool: &Value| {
        let meta = &tool["_meta"];
        [
            tool["annotations"].is_object(),
            tool["outputSchema"].is_object(),
            meta.is_object(),
            meta["dev.cloto/tool"]["examples"].is_array(),
        ]
    };
    let levels: Vec<[bool; 4]> = shown.iter().map(has).collect();
    assert_eq!(levels[0], [true, true, true, true], "{levels:?}");
    assert!(
        levels[1..].iter().all(|level| !level[3] && level.is_sorted_by(|one, next| one >= next)),
        "{levels:?}"
    );
    assert!(levels[1..].iter().any(|level| level[0]), "{levels:?}");
    let mut names: Vec<&str> = shown[1..].iter().filter_map(|tool| tool["name"].as_str()).collect();
    let mut trimmed = found.notes.unwrap().trimmed;
    names.sort_unstable();
    trimmed.sort_unstable();
    assert_eq!(trimmed, names);
}

#[tokio::test]
async fn an_out_of_bounds_value_is_named() {
    let rig = rig(&[("a", 1)], &[]).await;
    let long = "x".repeat(1025);
    let many = vec!["a"; MAX_EVICTED + 1];
    for (names, text) in [
        (&[][..], "invalid tools: 0 names: expected 1 to 256"),
        (&many, "invalid tools: 257 names: expected 1 to 256"),
        (&[""], "invalid tools: a name of 0 bytes: expected 1 to 1024"),
        (&[&long], "invalid tools: a name of 1025 bytes: expected 1 to 1024"),
    ] {
        let error = rig.evict(&ann(), names).unwrap_err();
        assert!(error.starts_with(text), "{error}");
    }
}

#[tokio::test]
async fn results_that_do_not_fit_are_left_out_and_reported() {
    let tools = [("tool_a", 1400), ("tool_b", 1400), ("tool_c", 1400), ("tool_d", 4000), ("p", 6000)];
    let found = async |pinned: &[&str], query: &str| {
        let rig = rig(&tools, pinned).await;
        let discovery =
            Discovery::new(rig.catalogue.clone(), Arc::new(AnnAndBob)).with_sessions(rig.sessions.clone());
        let params = DiscoverToolsParams { query: query.to_owned(), ..DiscoverToolsParams::default() };
        let found = discovery.discover(&ann(), &params).unwrap();
        let names: Vec<String> = found.tools.into_iter().map(|tool| tool.name).collect();
        (names, found.notes.and_then(|notes| notes.cut))
    };
    let (names, cut) = found(&[], "tool").await;
    let cut = cut.unwrap();
    assert_eq!((names.len(), cut.reserve), (2, 3000));
    assert!(names.iter().all(|name| *name != "tool_d"));
    // The best that there is, and larger than any room: it is named, so that it can be called or pinned.
    let (names, cut) = found(&[], "tool_d").await;
    let cut = cut.unwrap();
    assert!(!names.contains(&"tool_d".to_owned()));
    assert_eq!((cut.too_large[0].name.as_str(), cut.too_large[0].tokens), ("tool_d", 4000));
    // Tokens that pinned tools take beyond their reserve are missing for searches.
    assert_eq!(found(&["p"], "tool").await.0.len(), 1);
}
