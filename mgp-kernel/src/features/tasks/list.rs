//! `tasks/list` of revision 2025-11-25: the tasks of the host's own agent. They are listed by their servers or, for servers that
//! cannot list tasks, in the state that the kernel last saw.

use super::{TaskMethods, ids::rename, known_task::KnownTask};
use crate::{
    ground::page::page,
    host::HostDialect,
    upstream::{Server, read_all},
};
use mgp_security::results::SecretPolicy;
use mgp_transport::seam::{Incoming, Reply};
use mgp_types::{
    context::Principal,
    json::{RawJson, RawObject},
    mcp::tasks::{TaskForm, core::ListTasks},
};
use std::sync::Arc;

/// The maximum number of tasks read from one server.
const LIMIT: usize = 10_000;

/// Answers `tasks/list`, in one page.
pub(super) async fn list(
    TaskMethods { tasks: table, forwarder }: &TaskMethods,
    principal: &Principal,
    form: TaskForm,
    message: &Incoming,
) -> Reply {
    let host = HostDialect::of(message.session());
    let mut own = table.of(principal, form);
    own.retain(|known| known.is_allowed(&forwarder.rights.access, principal));
    let mut tasks = Vec::new();
    for server in forwarder.servers.all().iter() {
        let known = own.iter().filter(|known| known.is_of(server));
        let (across, known): (Vec<_>, Vec<_>) = known.partition(|known| known.is_across());
        let mut listed = if known.is_empty() { Vec::new() } else { listed_by(server, &known).await };
        listed = listed.iter().filter_map(|task| host.entry(task)).collect();
        let seen = across.iter().filter_map(|known| known.last_seen());
        listed.extend(seen.map(|task| form.encode(&task)));
        tasks.extend(searched(server, message, listed).await);
    }
    page("tasks", &tasks)
}

/// Searches the tasks of one server for secrets, and returns the form that may leave the kernel. Returns none if they must not leave,
/// so that the tasks of other servers are still listed.
async fn searched(server: &Server, message: &Incoming, tasks: Vec<RawJson>) -> Vec<RawJson> {
    if tasks.is_empty() || server.secrets() == SecretPolicy::Off {
        return tasks;
    }
    let reply = server.path.results.reply(message, page("tasks", &tasks)).await;
    let tasks = reply.result().and_then(|result| RawObject::from_json(result).ok()?.decode("tasks").ok()?);
    tasks.unwrap_or_else(|| {
        tracing::warn!(server = server.id(), "its tasks are not listed: they may hold secrets");
        Vec::new()
    })
}

/// Returns the known tasks that their server lists.
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
