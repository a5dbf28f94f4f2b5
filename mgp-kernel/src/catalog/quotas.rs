//! Adds the remaining quotas to a list of tools.

use super::tools::ToolTable;
use mgp_security::limits::quota::Quotas;
use mgp_transport::seam::Incoming;
use mgp_types::{
    json::{RawJson, RawObject},
    tool_metadata::TOOL_KEY,
};

/// Adds `quota` to the metadata of each tool to which a quota of the caller applies.
pub(crate) async fn say_quotas(
    quotas: &Quotas,
    table: &ToolTable,
    message: &Incoming,
    agent: &str,
    tools: &mut [RawJson],
) {
    if quotas.is_empty() {
        return;
    }
    let mut shown = Vec::new();
    for (place, definition) in tools.iter().enumerate() {
        let name = RawObject::from_json(definition).ok().and_then(|tool| tool.text("name"));
        if let Some(entry) = name.and_then(|name| table.resolve(&name)) {
            shown.push((place, (entry.id.clone(), entry.profile.claimed_units)));
        }
    }
    let (places, ids): (Vec<_>, Vec<_>) = shown.into_iter().unzip();
    let left = quotas.remaining(agent, message.key_name(), &ids).await;
    for (place, left) in places.into_iter().zip(left) {
        let Some(left) = left.and_then(|left| RawJson::from_value(&left).ok()) else { continue };
        let Ok(mut tool) = RawObject::from_json(&tools[place]) else { continue };
        let mut meta = tool.object("_meta").unwrap_or_default();
        let mut of_tool = meta.object(TOOL_KEY).unwrap_or_default();
        of_tool.insert("quota", left);
        meta.insert(TOOL_KEY, of_tool.to_json());
        tool.insert("_meta", meta.to_json());
        tools[place] = tool.to_json();
    }
}
