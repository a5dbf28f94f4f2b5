//! §16.3 Tools that a server does not list, but that a search finds.

use crate::{session::Answer, visit::Visitor};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The purpose that is searched for: that of most read-only tools.
const QUERY: &str = "list, read, search, show, count or report something";
/// The most tools that are searched for.
const FOUND: usize = 20;

/// Returns the unlisted tools that a search finds; none if tools cannot be searched for.
pub(crate) async fn unlisted(visitor: &mut Visitor) -> Vec<Value> {
    if !visitor.greeting.extensions().contains("tool_discovery") {
        return Vec::new();
    }
    let params = json!({ "query": QUERY, "max_results": FOUND });
    let exchange = visitor.session.request("mgp/tools/discover", params).await;
    // A wrong answer is reported by mgp.search.
    let Answer::Result(result) = &exchange.answer else { return Vec::new() };
    let mut seen: BTreeSet<_> = visitor.tools.names().into_iter().collect();
    let found = result["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    let others = found.iter().filter(|tool| tool["name"].as_str().is_some_and(|name| seen.insert(name)));
    others.take(FOUND).cloned().collect()
}
