//! `tasks/list` of revision 2025-11-25: the tasks of the host's own agent, as their servers list them or, for servers that cannot
//! list tasks, as the kernel saw them last.

use super::{ids::rename, known_task::KnownTask};
use crate::kernel::{
    core::Core,
    host::HostDialect,
    page::page,
    server::{Server, read_all},
};
use mgp_transport::seam::Reply;
use mgp_types::{
    context::Principal,
    json::{RawJson, RawObject},
    mcp::tasks::{TaskForm, core::ListTasks},
};
use std::sync::Arc;

/// The most tasks of one server that are read.
const LIMIT: usize = 10_000;

/// Answers `tasks/list`, in one page.
pub(super) async fn list(core: &Core, principal: &Principal, form: TaskForm, host: HostDialect) -> Reply {
    let mut own = core.tasks.of(principal, form);
    own.retain(|known| known.is_allowed(&core.rights.access, principal));
    let (across, own): (Vec<_>, Vec<_>) = own.into_iter().partition(|known| known.is_across());
    let mut tasks = Vec::new();
    for server in core.servers.all().iter() {
        let known: Vec<_> = own.iter().filter(|known| known.is_of(server)).collect();
        if !known.is_empty() {
            let listed = listed_by(server, &known).await;
            tasks.extend(listed.iter().filter_map(|task| host.entry(task)));
        }
    }
    let seen = across.iter().filter_map(|known| known.last_seen());
    tasks.extend(seen.map(|task| form.encode(&task)));
    page("tasks", &tasks)
}

/// Returns those of the known tasks that their server lists.
async fn listed_by(server: &Arc<Server>, known: &[&Arc<KnownTask>]) -> Vec<RawJson> {
    let Some(link) = server.link() else { return Vec::new() };
    let control = link.control();
    let read = read_all::<ListTasks>(&control, "tasks", server.id(), LIMIT);
    let Ok(Ok(listed)) = tokio::time::timeout(server.spec.call_timeout, read).await else {
        tracing::warn!(server = server.id(), "failed to list its tasks");
        return Vec::new();
    };
    let own = listed.into_iter().filter_map(|task| {
        let mut task = RawObject::from_json(&task).ok()?;
        let id = task.text("taskId")?;
        let known = known.iter().find(|known| known.own == id)?;
        rename(&mut task, &known.id);
        Some(task.to_json())
    });
    own.collect()
}
