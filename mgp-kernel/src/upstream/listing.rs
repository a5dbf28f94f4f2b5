//! Reads the lists of a server: tools, resources, templates, prompts.

use super::{
    Link, ServerSpec, ShapedTool,
    warnings::{Warnings, warn_of_left_out},
};
use mgp_client_sdk::session::{ListLimits, read_entries, read_list};
use mgp_transport::seam::{CallError, ControlPeer};
use mgp_types::{
    error::ErrorCode,
    json::{RawJson, RawObject},
    mcp::{ListTools, PageParams, Tool, ToolAnnotations},
    proposals,
    rpc::Control,
};
use std::{sync::Arc, time::Duration};

/// A tool in its server's list, as text and parsed.
#[derive(Debug, Clone)]
pub(crate) struct ListedTool {
    pub(crate) definition: RawJson,
    pub(crate) tool: Arc<Tool>,
    /// True if the server negotiated MGP. In the tools of other servers, `security` is an unknown member.
    pub(crate) of_mgp: bool,
    /// The operator's changes of the tool, if there are some.
    pub(crate) shape: Option<Arc<ShapedTool>>,
}

impl ListedTool {
    /// Returns the name of the tool in the gateway.
    pub(crate) fn name(&self) -> &str {
        self.shape.as_ref().map_or(&*self.tool.name, |shape| shape.shape.shown_name())
    }

    /// Returns the hints about the tool's effects: the server's, with the operator's changes.
    pub(crate) fn annotations(&self) -> Option<&ToolAnnotations> {
        let shaped = self.shape.as_ref().and_then(|shape| shape.annotations.as_ref());
        shaped.or(self.tool.annotations.as_ref())
    }

    /// Returns whether the operator removed the tool from the gateway.
    pub(crate) fn is_hidden(&self) -> bool {
        self.shape.as_ref().is_some_and(|shape| shape.shape.hide)
    }
}

/// The maximum number of pages read from one list.
const MAX_PAGES: usize = 1000;

/// The maximum size of one list, in bytes.
const MAX_BYTES: usize = 32 * 1024 * 1024;

/// Reads every page of a list as text, because hosts get the entries unchanged. Entries past the limit are left out with a warning.
pub(crate) async fn read_all<C>(
    peer: &ControlPeer,
    member: &'static str,
    server_id: &str,
    limit: usize,
) -> Result<Vec<RawJson>, CallError>
where
    C: Control<Params = PageParams>,
{
    let limits = ListLimits { pages: MAX_PAGES, entries: limit, bytes: MAX_BYTES };
    let request =
        |cursor| async move { peer.request_raw::<C>(&PageParams { cursor, ..PageParams::default() }).await };
    let list = read_list(C::METHOD, member, limits, request).await?;
    if let Some(excess) = list.excess {
        tracing::warn!(server = server_id, excess, "the server lists more than is read");
    }
    if let Some(fault) = list.fault {
        let method = C::METHOD;
        tracing::warn!(server = server_id, method, fault, "the rest of a list is not read");
    }
    Ok(list.entries)
}

/// Returns the tools that can be parsed. Others are left out with a warning that names them.
pub(super) fn readable(
    warnings: &Warnings,
    spec: &ServerSpec,
    definitions: Vec<RawJson>,
    of_mgp: bool,
) -> Vec<ListedTool> {
    let definitions = definitions.into_iter().map(with_input_schema).collect();
    let (tools, unreadable) = read_entries("tool", "name", definitions, Tool::from_object);
    warn_of_left_out(&warnings.unreadable_tools, &warnings.server_id, &unreadable);
    let listed = |(definition, tool): (RawJson, Tool)| {
        let shape = spec.shape(&tool.name).map(|shape| Arc::new(ShapedTool::new(&definition, shape)));
        ListedTool { definition, tool: Arc::new(tool), of_mgp, shape }
    };
    tools.into_iter().map(listed).collect()
}

/// Returns a definition with an `inputSchema`: its own, that of the extension proposals (`input_schema`), or one that accepts any
/// object. Hosts reject a whole list if one tool lacks it.
fn with_input_schema(definition: RawJson) -> RawJson {
    let Ok(mut tool) = RawObject::from_json(&definition) else { return definition };
    if tool.get("inputSchema").is_some() {
        return definition;
    }
    let any = || RawObject::from_iter([("type", RawJson::string("object"))]).to_json();
    let schema = tool.get("input_schema").filter(|schema| schema.is_object()).cloned().unwrap_or_else(any);
    tool.insert("inputSchema", schema);
    tool.to_json()
}

/// The areas of a server other than tools.
const OTHER_AREAS: [&str; 4] = ["resources", "prompts", "completions", "logging"];

/// The time limit for a list of tools that the server does not declare.
const UNDECLARED_TIMEOUT: Duration = Duration::from_secs(5);

/// Reads the tools. A tool that cannot be parsed is left out with a warning that names it. A server that declares other areas but no tools
/// is not asked. A server that declares nothing is asked, although it may not know the method.
pub(super) async fn list_tools(
    link: &Link,
    spec: &ServerSpec,
    warnings: &Warnings,
) -> Result<Arc<[ListedTool]>, CallError> {
    let (peer, server_id, capabilities) = (&link.control(), &*spec.id, &link.capabilities);
    let is_declared = capabilities.has("tools");
    let definitions = if !is_declared && OTHER_AREAS.iter().any(|area| capabilities.has(area)) {
        Vec::new()
    } else {
        let read = read_all::<ListTools>(peer, "tools", server_id, spec.max_tools);
        if is_declared { read.await? } else { undeclared(server_id, read).await? }
    };
    let of_proposals = |definition: &RawJson| {
        RawObject::from_json(definition).is_ok_and(|tool| proposals::is_definition(&tool))
    };
    if definitions.iter().any(of_proposals) {
        link.note_proposals();
    }
    let tools = readable(warnings, spec, definitions, link.negotiated.is_some());
    let (tools, annotated) = link.session.follow_headers(tools, |listed: &ListedTool| &listed.tool);
    warn_of_left_out(&warnings.annotated_tools, server_id, &annotated);
    Ok(tools.into())
}

/// Reads a list of tools that the server does not declare. An error or a timeout means that it has none.
async fn undeclared(
    server_id: &str,
    read: impl Future<Output = Result<Vec<RawJson>, CallError>>,
) -> Result<Vec<RawJson>, CallError> {
    match tokio::time::timeout(UNDECLARED_TIMEOUT, read).await {
        // MGP's errors may come from the path to the server.
        Ok(Err(CallError::Peer(error))) if ErrorCode::from_code(error.code).is_none() => {
            tracing::debug!(server = server_id, %error, "declares no tools, and lists none");
            Ok(Vec::new())
        }
        Ok(Err(error @ (CallError::Result { .. } | CallError::Unreadable(_)))) => {
            tracing::debug!(server = server_id, %error, "declares no tools, and lists none");
            Ok(Vec::new())
        }
        Ok(listed) => listed,
        Err(_) => {
            tracing::warn!(server = server_id, limit = ?UNDECLARED_TIMEOUT, "declares no tools, and did not answer tools/list");
            Ok(Vec::new())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_input_schema_falls_back_to_the_proposals_or_any_object() {
        for (definition, expected) in [
            (r#"{"name":"a","inputSchema":{"x":1},"input_schema":{}}"#, None),
            (r#"{"name":"a","input_schema":{"x":1}}"#, Some(r#""inputSchema":{"x":1}}"#)),
            (r#"{"name":"a","input_schema":7}"#, Some(r#""inputSchema":{"type":"object"}}"#)),
            (r#"{"name":"a"}"#, Some(r#""inputSchema":{"type":"object"}}"#)),
            ("[1]", None),
        ] {
            let shown = with_input_schema(RawJson::parse(definition).unwrap());
            match expected {
                None => assert_eq!(shown.as_str(), definition),
                Some(end) => assert!(shown.as_str().ends_with(end), "{}", shown.as_str()),
            }
        }
    }
}
