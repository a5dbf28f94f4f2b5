//! Makes the calls that undo steps: through the whole pipeline, with the rights of the caller that began the
//! transaction.

use super::approver::RollbackHost;
use crate::upstream::servers::Servers;
use async_trait::async_trait;
use mgp_lifecycle::transaction::{CompensationCall, CompensationEnd, Compensator};
use mgp_transport::{
    connection::{Connection, error_of},
    memory,
    seam::{BoxError, BoxPeerService, CallContext, CancelToken, Incoming, Reply, Session},
};
use mgp_types::{
    error::Recovery,
    idempotency::{IdempotentRequest, ReplayNote},
    json::{RawJson, RawObject},
    mcp::{CallTool, CallToolResult},
    rpc::{Call, ErrorObject},
};
use std::{
    sync::{
        Arc, Weak,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::Duration,
};
use tower::{ServiceExt, service_fn};

/// Calls tools through the pipeline in a separate session, whose principal is the caller of the transaction. Servers cannot ask questions there.
/// The host that requested the rollback is asked for confirmations. Without one, a call leaves a question for the operator.
pub(crate) struct PipelineCompensator {
    /// The pipeline, which lasts as long as the kernel.
    pub(crate) pipeline: Weak<BoxPeerService>,
    pub(crate) servers: Arc<Servers>,
    /// The lifetime of the calls' idempotency keys: the maximum.
    pub(crate) key_ttl: Duration,
}

#[async_trait]
impl Compensator for PipelineCompensator {
    async fn compensate(&self, call: CompensationCall) -> CompensationEnd {
        static NEXT_ID: AtomicI64 = AtomicI64::new(1);
        let pipeline = self.pipeline.upgrade().filter(|_| !self.servers.stopping.is_begun());
        let Some(pipeline) = pipeline else { return CompensationEnd::Gone };
        if let Err(reason) = self.check_endpoint(&call) {
            return CompensationEnd::Failed(reason);
        }
        let params = match params(&call, self.key_ttl) {
            Ok(params) => params,
            Err(error) => return CompensationEnd::Failed(error.message),
        };
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        let mut message = Incoming::request(id, CallTool::METHOD, params);
        message.set_context(context(&call));
        call.mark.clone().attach(&mut message);
        let reply = BoxPeerService::clone(&pipeline).oneshot(message).await;
        match end(reply) {
            // The next kernel makes the call.
            CompensationEnd::Unsent(_) if self.servers.stopping.is_begun() => CompensationEnd::Gone,
            end => end,
        }
    }
}

impl PipelineCompensator {
    /// Checks that the server of a call is the one that made the step. If there is none with its name, the pipeline reports
    /// this.
    fn check_endpoint(&self, call: &CompensationCall) -> Result<(), String> {
        let servers = self.servers.load();
        let server = servers.iter().find(|server| server.id() == call.server_id);
        match (server, &call.endpoint) {
            (Some(server), Some(endpoint)) if server.spec.endpoint.digest() != *endpoint => Err(format!(
                "server {:?} has another command or URL than when it made the step, so it is not asked to undo it",
                call.server_id
            )),
            _ => Ok(()),
        }
    }
}

/// Returns the params of a call: with the server's own name of the tool, and with the key of the compensation.
fn params(call: &CompensationCall, key_ttl: Duration) -> Result<RawObject, ErrorObject> {
    let mut params = RawObject::new();
    params.insert("name", RawJson::string(&format!("{}__{}", call.server_id, call.tool)));
    params.insert("arguments", call.arguments.clone());
    let ttl_seconds = Some(key_ttl.as_secs()).filter(|seconds| *seconds > 0);
    IdempotentRequest { key: call.key.clone(), ttl_seconds }.write(&mut params);
    if !call.caller.delegation.is_empty() {
        let chain = RawJson::from_value(&call.caller.delegation)?;
        params.insert("_mgp", RawObject::from_iter([("delegation", chain)]).to_json());
    }
    Ok(params)
}

/// Returns the context of a call: a session of the caller without a peer, and with the host of the rollback for confirmations.
fn context(call: &CompensationCall) -> CallContext {
    static NEXT_SESSION: AtomicU64 = AtomicU64::new(1);
    let session = Session::new(&format!("rollback-{}", NEXT_SESSION.fetch_add(1, Ordering::Relaxed)));
    session.set(call.caller.caller());
    session.set(RollbackHost(call.host.clone()));
    let (here, _there) = memory::pair();
    let nothing = service_fn(async |_: Incoming| Ok::<_, BoxError>(Reply::none()));
    let connection = Connection::builder(nothing).session(session).over(here.0, here.1);
    CallContext { peer: connection.peer().clone(), cancel: CancelToken::new() }
}

fn end(reply: Result<Reply, BoxError>) -> CompensationEnd {
    let Some(error) = error_of(&reply) else {
        let result = reply.ok().and_then(|reply| reply.result().cloned());
        return match result {
            Some(result) if CallToolResult::says_error(&result) => {
                let note = RawObject::from_json(&result).ok().and_then(|result| ReplayNote::of(&result));
                failed(CompensationEnd::reason_in(&result), note)
            }
            Some(_) => CompensationEnd::Done,
            None => CompensationEnd::Unknown("it was not answered".to_owned()),
        };
    };
    let advice = Recovery::from_error(&error);
    let message = error.to_string();
    match advice {
        Some(advice) if advice.is_outcome_unknown() => CompensationEnd::Unknown(message),
        Some(advice) if advice.retryable => CompensationEnd::Unsent(message),
        Some(advice) if hides_result(&advice) => CompensationEnd::Unknown(message),
        _ => failed(message, ReplayNote::of_error(&error)),
    }
}

fn failed(reason: String, note: Option<ReplayNote>) -> CompensationEnd {
    match note {
        Some(note) if note.was_replay => CompensationEnd::FailedBefore(reason),
        _ => CompensationEnd::Failed(reason),
    }
}

/// Returns whether a call was already answered with a result that was too large to be kept, and whose content is
/// unknown.
fn hides_result(advice: &Recovery) -> bool {
    advice.details.as_ref().is_some_and(|details| {
        details.text("outcome").as_deref() == Some("done")
            && details.decode::<bool>("is_error").ok().flatten() == Some(false)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::error::ErrorCode;

    const REPLAY: &str = r#"{"idempotency_key":"k","was_replay":true,"original_timestamp":"t"}"#;

    fn json(text: &str) -> RawJson {
        RawJson::parse(text.to_owned()).unwrap()
    }

    #[test]
    fn a_replayed_answer_contains_the_outcome_of_its_call() {
        let own = |meta: &str| {
            let data = json(&r#"{"_meta":META}"#.replace("META", meta));
            Reply::error(ErrorObject::new(-32000_i64, "down").with_data(data))
        };
        let result = |meta: &str| {
            let text = r#"{"content":[{"type":"text","text":"down"}],"isError":true,"_meta":META}"#;
            Reply::ok(json(&text.replace("META", meta)))
        };
        let before = CompensationEnd::FailedBefore("down".to_owned());
        assert_eq!(end(Ok(result(REPLAY))), before);
        assert_eq!(end(Ok(result("{}"))), CompensationEnd::Failed("down".to_owned()));
        assert!(matches!(end(Ok(own(REPLAY))), CompensationEnd::FailedBefore(_)));
        assert!(matches!(end(Ok(own("{}"))), CompensationEnd::Failed(_)));
        // Too large to be kept.
        for (is_error, expected) in [(true, true), (false, false)] {
            let mut details = RawObject::new();
            details.insert("outcome", RawJson::string("done"));
            details.insert("is_error", is_error.into());
            let advice = Recovery::of(ErrorCode::ResourceNotFound).with_details(details);
            let error = ErrorCode::ResourceNotFound.error_with("too large", advice);
            let mut data = RawObject::from_json(error.data.as_ref().unwrap()).unwrap();
            data.insert("_meta", json(REPLAY));
            let end = end(Ok(Reply::error(error.with_data(data.to_json()))));
            assert_eq!(matches!(end, CompensationEnd::FailedBefore(_)), expected, "{end:?}");
            assert_eq!(matches!(end, CompensationEnd::Unknown(_)), !expected, "{end:?}");
        }
    }
}
