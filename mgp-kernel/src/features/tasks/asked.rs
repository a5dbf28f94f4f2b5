//! Asks hosts the questions that servers send about their tasks.

use super::{KnownTask, TaskNews};
use crate::{
    ground::caller::Caller,
    upstream::{HostQuestion, Server},
};
use mgp_transport::seam::{Incoming, Visibility};
use mgp_types::{
    context::Principal,
    json::RawObject,
    mcp::tasks::core::{RELATED_TASK_KEY, related_to_task},
    rpc::{ErrorObject, RawResult},
};
use std::{sync::Arc, task::Poll};

/// A task that a question of its server belongs to, and the host to ask.
#[derive(Debug)]
pub(crate) struct TaskOfQuestion {
    known: Arc<KnownTask>,
    caller: Caller,
}

/// Returns the server's id of the task that a question names.
fn task_of(message: &Incoming) -> Option<String> {
    message.params.object().ok()?.object("_meta")?.object(RELATED_TASK_KEY)?.text("taskId")
}

impl TaskNews {
    /// Returns the task that a question belongs to, and the host to ask; `None` if the question names no known task.
    pub(crate) fn task_of_question(
        &self,
        server: &Arc<Server>,
        message: &Incoming,
    ) -> Option<Result<TaskOfQuestion, ErrorObject>> {
        let own = task_of(message)?;
        let known = self.tasks.at(server, &own)?;
        // A revoked right also ends the tasks that it allowed.
        if !self.rights.access.view(&known.principal).sees(&known.tool) {
            return Some(Err(ErrorObject::invalid_request("nobody can be asked for the task")));
        }
        let maker = known.caller.clone();
        if maker.parked.is_some() {
            return Some(Ok(TaskOfQuestion { known, caller: maker }));
        }
        // The host that waits for the task, or else the host that created it.
        let is_maker = |who: &Principal| who.is_same_caller(&known.principal);
        let waiting = server.exchange.caller(message).ok();
        let waiting = waiting.filter(|caller| caller.principal.as_ref().is_some_and(is_maker));
        let caller = waiting.or_else(|| (!maker.peer.is_closed()).then_some(maker));
        let gone = || ErrorObject::invalid_request("the host of the task is gone");
        Some(caller.map(|caller| TaskOfQuestion { known, caller }).ok_or_else(gone))
    }

    /// Answers a question of one of a server's tasks. A host that polls its tasks is asked when it queries the task.
    pub(crate) async fn answer_question(
        &self,
        server: &Arc<Server>,
        message: Incoming,
        task: TaskOfQuestion,
    ) -> Result<RawResult, ErrorObject> {
        let TaskOfQuestion { known, caller } = task;
        let cancel = message.cancel_token().cloned().unwrap_or_default();
        let (mut params, method) = (message.params.into_object()?, message.method);
        let (key, limit) = match &caller.parked {
            Some(parked) => {
                forget_task(&mut params);
                (Some(parked.fresh_key(&method)), known.remaining())
            }
            None => {
                params = related_to_task(params, &known.id);
                (None, server.spec.question_timeout)
            }
        };
        let question = HostQuestion { key: key.as_deref(), limit, method: &method, params: params.into() };
        let mut asked = server.exchange.ask(&caller, question);
        // The question is asked before subscribers are notified of it.
        if let Poll::Ready(answer) = futures_util::poll!(&mut asked) {
            return answer;
        }
        self.listeners(server, &known);
        caller.answered(asked, &cancel).await
    }
}

/// Removes the id of a task from a question, because the host finds the question in the task.
fn forget_task(params: &mut RawObject) {
    params.edit("_meta", |meta| meta.remove(RELATED_TASK_KEY).is_some());
}
