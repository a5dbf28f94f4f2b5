//! Declares tools as possible tasks to hosts that decide on tasks, if the tools' servers do not declare this.

use super::tools::ToolTable;
use crate::upstream::{Server, decides_on_tasks, servers::Servers};
use mgp_server_sdk::era;
use mgp_transport::seam::Incoming;
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::tasks::TaskForm,
};

/// Marks these tools, in their definitions, as possible tasks.
pub(super) fn say_support(servers: &Servers, table: &ToolTable, message: &Incoming, tools: &mut [RawJson]) {
    if !era::tasks_of(message.session()).form().is_some_and(TaskForm::is_by_client) {
        return;
    }
    let decides = |server: &Server| server.current_greeting().is_some_and(|said| decides_on_tasks(&said));
    if !servers.load().iter().any(|server| decides(server)) {
        return;
    }
    for definition in tools {
        let Ok(mut tool) = RawObject::from_json(definition) else { continue };
        let entry = tool.text("name").and_then(|name| table.resolve(&name).cloned());
        let mut execution = tool.object("execution").unwrap_or_default();
        if !entry.is_some_and(|entry| decides(&entry.server)) || execution.get("taskSupport").is_some() {
            continue;
        }
        execution.insert("taskSupport", RawJson::string("optional"));
        tool.insert("execution", execution.to_json());
        *definition = tool.to_json();
    }
}
