//! Reads what tools a server has.

use super::server::ListedTool;
use mgp_transport::seam::{CallError, ControlPeer};
use mgp_types::{
    json::{JsonError, RawJson, RawObject},
    mcp::{Cursor, ListTools, PageParams, Tool},
    rpc::{Call, RawResult},
};
use std::sync::Arc;

/// How many pages are read at most.
const MAX_PAGES: usize = 1000;

/// Reads every page. A tool that cannot be read is left out with a warning, and so is what is past the limit.
pub(super) async fn list_tools(
    peer: &ControlPeer,
    server_id: &str,
    limit: usize,
) -> Result<Arc<[ListedTool]>, CallError> {
    let mut tools = Vec::new();
    let mut params = PageParams::default();
    for _ in 0..MAX_PAGES {
        let result = peer.request_raw::<ListTools>(&params).await?;
        let (definitions, next) =
            read_page(&result).map_err(|error| CallError::Result { method: ListTools::METHOD, error })?;
        for definition in definitions {
            if tools.len() == limit {
                tracing::warn!(server = server_id, limit, "the server lists more tools than are read");
                return Ok(tools.into());
            }
            match definition.decode::<Tool>() {
                Ok(tool) => tools.push(ListedTool { definition, tool: Arc::new(tool) }),
                Err(error) => tracing::warn!(server = server_id, %error, "unreadable tool left out"),
            }
        }
        if next.is_none() {
            return Ok(tools.into());
        }
        params.cursor = next;
    }
    tracing::warn!(server = server_id, pages = MAX_PAGES, "the server lists more pages than are read");
    Ok(tools.into())
}

/// The definitions as text, because hosts get them as they are.
fn read_page(result: &RawResult) -> Result<(Vec<RawJson>, Option<Cursor>), JsonError> {
    let page = RawObject::from_json(result)?;
    let definitions = page.decode("tools")?.ok_or(JsonError::Missing("tools"))?;
    // Some servers write `null` where they mean that there is no next page.
    Ok((definitions, page.decode::<Option<Cursor>>("nextCursor")?.flatten()))
}
