//! Reads the lists of a server: tools, resources, templates, prompts.

use super::{Link, Server, server::ListedTool, warn_of_left_out};
use crate::left_out::LeftOutEntries;
use mgp_transport::seam::{CallError, ControlPeer};
use mgp_types::{
    json::{JsonError, RawJson, RawObject},
    mcp::{Cursor, ListTools, PageParams, Tool, read_entry},
    rpc::{Control, JsonRpcCode, RawResult},
};
use std::sync::Arc;

/// The most pages of one list that are read.
const MAX_PAGES: usize = 1000;

/// The most of one list that is kept, in bytes.
const MAX_BYTES: usize = 32 * 1024 * 1024;

/// Reads every page of a list, as text, because hosts get the entries as they are. Entries past the limit are left out with a warning.
pub(in crate::kernel) async fn read_all<C>(
    peer: &ControlPeer,
    member: &'static str,
    server_id: &str,
    limit: usize,
) -> Result<Vec<RawJson>, CallError>
where
    C: Control<Params = PageParams>,
{
    let (mut entries, mut params) = (Vec::new(), PageParams::default());
    let mut bytes = 0;
    for _ in 0..MAX_PAGES {
        let result = peer.request_raw::<C>(&params).await?;
        let (page, next) =
            read_page(&result, member).map_err(|error| CallError::Result { method: C::METHOD, error })?;
        for entry in page {
            bytes += entry.as_str().len();
            if entries.len() == limit || bytes > MAX_BYTES {
                tracing::warn!(
                    server = server_id,
                    limit,
                    bytes = MAX_BYTES,
                    member,
                    "the server lists more than is read"
                );
                return Ok(entries);
            }
            entries.push(entry);
        }
        if next.is_none() {
            return Ok(entries);
        }
        params.cursor = next;
    }
    tracing::warn!(
        server = server_id,
        pages = MAX_PAGES,
        member,
        "the server lists more pages than are read"
    );
    Ok(entries)
}

/// Reads the tools. A tool that cannot be read is left out with a warning that names it. A server that declares no tools need not
/// know the method.
pub(super) async fn list_tools(link: &Link, server: &Server) -> Result<Arc<[ListedTool]>, CallError> {
    let (peer, server_id) = (&link.control(), server.id());
    let definitions = match read_all::<ListTools>(peer, "tools", server_id, server.spec.max_tools).await {
        Err(CallError::Peer(error))
            if !link.capabilities.has("tools") && error.code == i64::from(JsonRpcCode::MethodNotFound) =>
        {
            Vec::new()
        }
        listed => listed?,
    };
    let (of_mgp, mut unreadable) = (link.negotiated.is_some(), Vec::new());
    let mut tools = Vec::with_capacity(definitions.len());
    for (place, definition) in definitions.into_iter().enumerate() {
        match read_entry(place, &definition, "name", Tool::from_object) {
            Ok(tool) => tools.push(ListedTool { definition, tool: Arc::new(tool), of_mgp }),
            Err(entry) => unreadable.push(entry),
        }
    }
    let unreadable = LeftOutEntries::unreadable("tool", &unreadable);
    let tools: Arc<[ListedTool]> = tools.into();
    warn_of_left_out(&server.warnings.unreadable_tools, server_id, &unreadable);
    #[cfg(feature = "http")]
    let tools = follow_annotations(peer, server, &tools);
    Ok(tools)
}

/// Notes which arguments are repeated in headers, if requests to the server have such headers. A tool whose annotations cannot be
/// followed is left out with a warning, as MCP demands.
#[cfg(feature = "http")]
fn follow_annotations(peer: &ControlPeer, server: &Server, tools: &Arc<[ListedTool]>) -> Arc<[ListedTool]> {
    use mgp_transport::http::{client::ToolHeaders, param_header::ParamHeader};
    let session = peer.session();
    let Some(headers) = session.get::<ToolHeaders>().filter(|_| peer.is_stateless()) else {
        return tools.clone();
    };
    let (mut followed, mut annotated) = (Vec::with_capacity(tools.len()), Vec::new());
    let mut unfollowed = LeftOutEntries::of("tool");
    for (place, listed) in tools.iter().enumerate() {
        let found = listed.tool.input_schema.as_ref().map_or_else(|| Ok(Vec::new()), ParamHeader::of_schema);
        match found {
            Ok(found) => {
                annotated.push((listed.tool.name.clone(), found));
                followed.push(listed.clone());
            }
            Err(error) => {
                unfollowed.add(Some(&listed.tool.name), place, &error);
            }
        }
    }
    headers.set(annotated);
    warn_of_left_out(&server.warnings.annotated_tools, server.id(), &unfollowed);
    followed.into()
}

fn read_page(result: &RawResult, member: &'static str) -> Result<(Vec<RawJson>, Option<Cursor>), JsonError> {
    let page = RawObject::from_json(result)?;
    let entries = page.decode(member)?.ok_or(JsonError::Missing(member))?;
    // Some servers write `null` where they mean that there is no next page.
    Ok((entries, page.decode::<Option<Cursor>>("nextCursor")?.flatten()))
}
