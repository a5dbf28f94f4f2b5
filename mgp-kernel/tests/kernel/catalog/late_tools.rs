//! A search that was begun before a server listed a new tool shows nothing that its agent may not call.

use crate::{
    raw_server::{RawServer, result, says},
    support::{Setup, start, until, until_some, within},
};
use mgp_kernel::Era;
use mgp_toolindex::{
    embed::{EmbedError, Embedder},
    index::{Query, Search, SearchResult, ToolIndex},
};
use mgp_types::context::Principal;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
    mpsc,
};
use xtask_testing::block_until_some;

/// Holds up the next search until the test lets it go on.
#[derive(Debug, Default)]
struct HeldSearch(Mutex<Option<(mpsc::Sender<()>, mpsc::Receiver<()>)>>);

impl HeldSearch {
    /// Returns what tells that a search was held up, and what lets it go on.
    fn next(&self) -> (mpsc::Receiver<()>, mpsc::Sender<()>) {
        let ((began, has_begun), (go_on, may_go_on)) = (mpsc::channel(), mpsc::channel());
        *self.0.lock() = Some((began, may_go_on));
        (has_begun, go_on)
    }
}

impl Embedder for HeldSearch {
    fn id(&self) -> &str {
        "held"
    }
    fn dimensions(&self) -> usize {
        2
    }
    fn is_slow(&self) -> bool {
        false
    }
    fn embed_query(&self, _: &str) -> Result<Vec<f32>, EmbedError> {
        let held = self.0.lock().take();
        if let Some((began, may_go_on)) = held {
            began.send(()).unwrap();
            block_until_some(|| may_go_on.try_recv().ok());
        }
        Ok(vec![1.0, 0.5])
    }
    fn embed_passages(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|_| vec![1.0, 0.5]).collect())
    }
}

fn tools(with_late: bool) -> Value {
    let schema = json!({"type": "object"});
    let mut tools = vec![json!({"name": "work", "inputSchema": schema})];
    if with_late {
        let security = json!({"risk_level": "moderate", "permissions_required": ["filesystem.write"]});
        tools.push(json!({"name": "work_late", "inputSchema": schema, "security": security}));
    }
    json!({ "tools": tools })
}

async fn search(setup: &Setup) -> SearchResult {
    let kernel = setup.kernel.clone();
    let search = move || {
        kernel.search(&Principal::agent("agent.test"), &Search::new(Query::new("work").unwrap())).unwrap()
    };
    tokio::task::spawn_blocking(search).await.unwrap()
}

#[tokio::test]
async fn a_tool_that_is_listed_during_a_search_is_not_in_its_result() {
    let (late, held) = (Arc::new(AtomicBool::new(false)), Arc::new(HeldSearch::default()));
    let is_late = late.clone();
    let mgp = json!({"version": "0.3.0", "extensions": ["tool_security"]});
    let capabilities = json!({"tools": {"listChanged": true}, "mgp": mgp});
    let server = RawServer::new(Era::Initialize, capabilities, move |message| {
        (message["method"] == "tools/list")
            .then(|| vec![result(message, tools(is_late.load(Ordering::SeqCst)))])
    });
    let (spec, embedder) = (server.spec("s"), held.clone());
    let setup =
        start(move |kernel, _| kernel.server(spec).tool_index(ToolIndex::builder().embedder(embedder))).await;
    assert_eq!(search(&setup).await.total_available, 1);

    let (has_begun, go_on) = held.next();
    let searching = async {
        let found = search(&setup).await;
        assert_eq!((found.hits.len(), found.total_available), (1, 1), "{found:?}");
        assert_eq!(&*found.hits[0].tool.id().tool_name, "work");
    };
    let listing = async {
        until_some(async || has_begun.try_recv().ok()).await;
        late.store(true, Ordering::SeqCst);
        server.say(says(None, "notifications/tools/list_changed", json!({})));
        until(|| setup.kernel.operator().index_stats().tools >= 2).await;
        go_on.send(()).unwrap();
    };
    within(async { tokio::join!(searching, listing) }).await;
    assert_eq!(search(&setup).await.total_available, 1, "nobody has approved what it needs");
}
