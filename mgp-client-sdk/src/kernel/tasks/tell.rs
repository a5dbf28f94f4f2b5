//! Tells hosts of their tasks without being asked: in the core form the session that made a task, in the extension the requests
//! that listen for it. A host whose right to the tool was revoked is told nothing.

use super::{
    form::Form,
    ids::rename,
    known::{Known, Listened, Telling},
    look::{as_core, of_core},
};
use crate::kernel::{
    core::Core,
    server::{Server, Understands, name_questions},
};
use mgp_transport::seam::{Peer, Visibility};
use mgp_types::{
    context::Principal,
    json::{RawJson, RawObject},
    mcp::tasks::{core::TaskStatusChanged, extension::Task},
    rpc::Notice,
};
use std::{sync::Arc, time::Duration};

/// The time limit for telling one host.
const TIME_LIMIT: Duration = Duration::from_secs(1);

/// Keeps only the ids of the host's own tasks, and has the tasks' servers tell of them for as long as the returned values live.
pub(in crate::kernel) fn listen(core: &Core, principal: &Principal, ids: &mut Vec<String>) -> Vec<Listened> {
    let mut listened = Vec::new();
    ids.retain(|id| {
        let own = core.tasks.get(id, principal);
        let own =
            own.filter(|known| known.form == Form::Extension && known.is_allowed(&core.access, principal));
        listened.extend(own.as_ref().map(Known::listened));
        own.is_some()
    });
    listened
}

/// Handles the report of a core server on a task.
pub(in crate::kernel) async fn core_status(core: &Arc<Core>, server: &Arc<Server>, params: &RawObject) {
    let Some(known) = params.text("taskId").and_then(|own| core.tasks.at(server, &own)) else { return };
    known.changed.notify_waiters();
    match known.form {
        Form::Core => {
            let mut params = params.clone();
            rename(&mut params, &known.id);
            session(core, &known, params).await;
        }
        Form::Extension => listeners(core, server, &known),
    }
}

/// Handles the report of a server of a stateless revision on a task.
pub(in crate::kernel) async fn extension_status(core: &Arc<Core>, server: &Arc<Server>, params: &RawObject) {
    let Some(known) = params.text("taskId").and_then(|own| core.tasks.at(server, &own)) else { return };
    let Ok(task) = RawObject::to_json(params).decode::<Task>() else {
        return tracing::debug!(server = server.id(), "unreadable word on a task");
    };
    let seen = as_core(&known, &task);
    known.changed.notify_waiters();
    match known.form {
        Form::Core => {
            let params = RawJson::from_value(&seen).and_then(|params| RawObject::from_json(&params));
            session(core, &known, params.unwrap_or_default()).await;
        }
        Form::Extension => {
            let mut params = params.clone();
            rename(&mut params, &known.id);
            name_questions(&mut params, server);
            tell(core, &known, &params).await;
        }
    }
}

/// Tells the session that made a task.
async fn session(core: &Core, known: &Known, params: RawObject) {
    let host = &known.caller.peer;
    if host.is_closed() || !core.access.view(&known.principal).sees(&known.tool) {
        return;
    }
    let params = Understands::of(host.session()).params(params.into());
    let told = host.notify(TaskStatusChanged::METHOD, params);
    if !matches!(tokio::time::timeout(TIME_LIMIT, told).await, Ok(Ok(()))) {
        tracing::debug!(session = host.session().id(), "a host was not told of its task");
    }
}

/// Looks at a core server's task for the requests that listen for it, and tells them. Changes in the meantime are told together,
/// once afterwards.
pub(in crate::kernel) fn listeners(core: &Arc<Core>, server: &Arc<Server>, known: &Arc<Known>) {
    if known.form != Form::Extension || !known.is_listened() {
        return;
    }
    {
        let mut telling = known.telling.lock();
        if *telling != Telling::No {
            *telling = Telling::Again;
            return;
        }
        *telling = Telling::Now;
    }
    let (core, server, known) = (Arc::downgrade(core), server.clone(), known.clone());
    tokio::spawn(async move {
        loop {
            let looked = of_core(&server, &known, Understands::PLAIN_STATELESS).await;
            let Some(core) = core.upgrade() else { return };
            match looked.as_ref().map(RawJson::from_value) {
                Ok(Ok(params)) => {
                    let params = RawObject::from_json(&params).unwrap_or_default();
                    tell(&core, &known, &params).await;
                }
                other => tracing::debug!(server = server.id(), ?other, "hosts were not told of their task"),
            }
            let mut telling = known.telling.lock();
            if *telling == Telling::Now {
                *telling = Telling::No;
                return;
            }
            *telling = Telling::Now;
        }
    });
}

/// Tells the requests that listen for a task.
async fn tell(core: &Core, known: &Known, params: &RawObject) {
    if !core.access.view(&known.principal).sees(&known.tool) {
        return;
    }
    let params = Understands::PLAIN_STATELESS.params(params.clone().into());
    let Some(params) = params.get() else { return };
    let may_know = |peer: &Peer| {
        peer.session().get::<Principal>().is_some_and(|caller| caller.is_same_caller(&known.principal))
    };
    core.hosts.task_changed(&known.id, params, may_know).await;
}
