//! Tells hosts of revision 2025-11-25 that they may ask for a task, for tools whose servers decide themselves what becomes a task.

use super::form::{Form, Speaks};
use crate::kernel::core::Core;
use mgp_transport::seam::Incoming;
use mgp_types::json::{RawJson, RawObject};

/// Marks such tools, in their definitions, as tools that may become tasks.
pub(in crate::kernel) fn say_support(core: &Core, message: &Incoming, tools: &mut [RawJson]) {
    if Speaks::of(message.session()) != Speaks::Form(Form::Core) {
        return;
    }
    let decides = |link: Option<_>| link.is_some_and(|link: std::sync::Arc<_>| has_extension(&link));
    if !core.servers.load().iter().any(|server| decides(server.link())) {
        return;
    }
    let table = core.tools.load();
    for definition in tools {
        let Ok(mut tool) = RawObject::from_json(definition) else { continue };
        let entry = tool.text("name").and_then(|name| table.resolve(&name).cloned());
        let mut execution = tool.object("execution").unwrap_or_default();
        if !entry.is_some_and(|entry| decides(entry.server.link())) || execution.get("taskSupport").is_some()
        {
            continue;
        }
        execution.insert("taskSupport", RawJson::string("optional"));
        tool.insert("execution", execution.to_json());
        *definition = tool.to_json();
    }
}

fn has_extension(link: &crate::kernel::server::Link) -> bool {
    link.has_tasks_extension()
}
