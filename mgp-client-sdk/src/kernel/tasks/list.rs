//! `tasks/list`, as revision 2025-11-25 has it: of the tasks that the servers list, those of the host's own agent.

use super::{
    ids::rename,
    table::{Form, Known},
};
use crate::kernel::{core::Core, server::read_all};
use mgp_transport::seam::Reply;
use mgp_types::{
    context::Principal,
    json::{RawJson, RawObject},
    mcp::tasks::core::ListTasks,
};
use std::sync::Arc;

/// How many tasks of one server are read.
const LIMIT: usize = 10_000;

/// Answers `tasks/list`, in one page.
pub(super) async fn list(core: &Core, principal: &Principal, form: Form) -> Reply {
    let own = core.tasks.of(principal, form);
    let mut tasks = Vec::new();
    for server in &core.servers {
        let of_server = |(_, known): &&(String, Known)| {
            known.server.upgrade().is_some_and(|known| Arc::ptr_eq(&known, server))
        };
        let known: Vec<_> = own.iter().filter(of_server).collect();
        let Some(link) = server.link().filter(|_| !known.is_empty()) else { continue };
        let control = link.control();
        let read = read_all::<ListTasks>(&control, "tasks", server.id(), LIMIT);
        let Ok(Ok(listed)) = tokio::time::timeout(server.spec.call_time_limit, read).await else {
            tracing::warn!(server = server.id(), "failed to list its tasks");
            continue;
        };
        for task in listed {
            let Ok(mut task) = RawObject::from_json(&task) else { continue };
            let Some(id) = task.text("taskId") else { continue };
            if let Some((shown, _)) = known.iter().find(|(_, known)| known.id == id) {
                rename(&mut task, shown);
                tasks.push(task.to_json());
            }
        }
    }
    let mut result = RawObject::new();
    match RawJson::from_value(&tasks) {
        Ok(tasks) => {
            result.insert("tasks", tasks);
            Reply::ok(result.to_json())
        }
        Err(error) => Reply::error(error.into()),
    }
}
