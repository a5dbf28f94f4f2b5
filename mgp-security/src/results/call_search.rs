//! The search of everything that a server sends for one request.

use super::{
    SearchError, SecretPolicy,
    search::{SearchedJson, search},
    url_questions::UrlQuestions,
};
use crate::audit::{AuditSink, EventDraft, StoreFuture};
use mgp_transport::seam::{CallRecord, Incoming, Reply, ToolCall};
use mgp_types::{
    audit::{AuditEvent, AuditEventType, AuditResult},
    context::{Principal, TraceId},
    error::ErrorCode,
    json::RawJson,
    rpc::{ErrorObject, RawParams},
};
use parking_lot::Mutex;
use std::{borrow::Cow, collections::BTreeMap, mem, sync::Arc};

/// The type of the event of secrets in a server's result.
const SECRET_FOUND: &str = "dev.cloto.mgp.SECRET_FOUND";

/// The detail of a call's event for masked secrets in its result, which differs from what the server wrote.
pub const MASKED: &str = "masked";

/// The search of everything that a server sends for one request: its reply, and the notifications before the reply. The layer puts it
/// into the request's context, for services that forward notifications. Clones count together. If the last clone is dropped before the
/// reply, for example with the future of a cancelled request, the secrets of the notifications are still recorded.
#[derive(Debug, Clone)]
pub struct CallSearch {
    request: Arc<SearchedRequest>,
}

/// The request that an event is about.
#[derive(Debug)]
struct SearchedRequest {
    found: Mutex<SecretCounts>,
    server_id: Arc<str>,
    masks: bool,
    sink: Arc<dyn AuditSink>,
    caller: Principal,
    method: String,
    tool: Option<Arc<str>>,
    trace: Option<TraceId>,
    record: Option<CallRecord>,
}

/// The secrets that no event records yet.
#[derive(Debug, Default)]
struct SecretCounts {
    by_rule: BTreeMap<&'static str, u64>,
    /// The reason why a part was not searched.
    unsearched: Option<SearchError>,
}

impl CallSearch {
    /// Creates the search for a request. Returns `None` if the policy searches nothing.
    pub(super) fn new(
        (server_id, policy, sink): (&Arc<str>, SecretPolicy, &Arc<dyn AuditSink>),
        message: &Incoming,
    ) -> Option<Self> {
        if policy == SecretPolicy::Off {
            return None;
        }
        let call = ToolCall::of(message);
        let caller = call.map(|call| &call.principal).or_else(|| message.ext.get());
        let request = SearchedRequest {
            found: Mutex::default(),
            server_id: server_id.clone(),
            masks: policy == SecretPolicy::Mask,
            sink: sink.clone(),
            caller: caller.cloned().unwrap_or_else(|| Principal::agent("unauthenticated")),
            method: message.method.to_string(),
            tool: call
                .map(|call| &call.target.tool)
                .or_else(|| message.tool())
                .map(|tool| tool.tool_name.clone()),
            trace: call.and_then(|call| call.trace.as_ref()).or_else(|| message.trace()).cloned(),
            record: CallRecord::of(message).cloned(),
        };
        Some(Self { request: Arc::new(request) })
    }

    /// Returns the search for a request that passed the layer; `None` if nothing is searched.
    #[must_use]
    pub fn of(message: &Incoming) -> Option<&Self> {
        message.ext.get()
    }

    /// Returns whether secrets are masked. If so, a secret must not leave in two parts, so partial results are held back.
    #[must_use]
    pub fn masks(&self) -> bool {
        self.request.masks
    }

    /// Searches the params of a notification, and returns them as they may leave; `None` if they may not. The event at the request's end
    /// records the secrets.
    pub async fn params(&self, params: RawParams) -> Option<RawParams> {
        let Some(json) = params.get() else { return Some(params) };
        match self.search(json).await {
            Ok(None) => Some(params),
            Ok(Some(masked)) => Some(masked.into()),
            Err(_) => None,
        }
    }

    /// Searches the reply, and returns it as it may leave. An event that records the secrets is stored before.
    pub async fn reply(&self, reply: Reply) -> Reply {
        let searched = match (reply.result(), reply.as_error()) {
            (Some(result), _) => self.search(result).await.map(|masked| {
                if let (Some(record), Some(_)) = (&self.request.record, &masked) {
                    record.update(|record| record.details.push((MASKED, true.into())));
                }
                let remade =
                    |result| if reply.is_cancelled() { Reply::cancelled(result) } else { Reply::ok(result) };
                masked.map(remade)
            }),
            (_, Some(error)) => self.error(error).await,
            _ => Ok(None),
        };
        let reply = match searched {
            Ok(masked) => masked.unwrap_or(reply),
            Err(error) => Reply::error(withheld(&self.request.server_id, &error)),
        };
        match self.record().await {
            Ok(()) => reply,
            Err(error) => Reply::error(error),
        }
    }

    async fn error(&self, error: &ErrorObject) -> Result<Option<Reply>, SearchError> {
        let (questions, error) = match UrlQuestions::take(error) {
            Some((questions, error)) => (Some(questions), Cow::Owned(error)),
            None => (None, Cow::Borrowed(error)),
        };
        let Ok(json) = RawJson::from_value(&*error) else { return Ok(None) };
        let Some(masked) = self.search(&json).await? else { return Ok(None) };
        let mut error = masked.decode().unwrap_or_else(|_| ErrorObject::internal("the error held a secret"));
        if let Some(questions) = questions {
            questions.put_back(&mut error);
        }
        Ok(Some(Reply::error(error)))
    }

    /// Searches a text. Returns the masked text, if it contains secrets.
    async fn search(&self, json: &RawJson) -> Result<Option<RawJson>, SearchError> {
        match search(json).await {
            Ok(None) => Ok(None),
            Ok(Some(SearchedJson { rules, masked })) => {
                let mut found = self.request.found.lock();
                rules.into_iter().for_each(|rule| *found.by_rule.entry(rule).or_default() += 1);
                Ok(self.masks().then_some(masked))
            }
            Err(error) => {
                tracing::warn!(server = &*self.request.server_id, %error, "a result was not searched for secrets");
                self.request.found.lock().unsearched = Some(error.clone());
                if self.masks() { Err(error) } else { Ok(None) }
            }
        }
    }

    /// Stores an event if there is anything to record.
    async fn record(&self) -> Result<(), ErrorObject> {
        let Some(stored) = self.request.store() else { return Ok(()) };
        stored.await.map_err(|error| {
            tracing::error!(%error, "a result is withheld: the event of its secrets could not be stored");
            error.withheld()
        })
    }
}

impl Drop for SearchedRequest {
    fn drop(&mut self) {
        // The future is not awaited; the sink stores the event all the same.
        drop(self.store());
    }
}

impl SearchedRequest {
    /// Begins to store an event, if there is anything to record.
    fn store(&self) -> Option<StoreFuture> {
        let found = mem::take(&mut *self.found.lock());
        let is_needed = !found.by_rule.is_empty() || found.unsearched.is_some();
        (is_needed && self.sink.keeps()).then(|| self.sink.record(self.event(&found)))
    }

    /// Returns the event, which names rules and numbers, but no part of the secrets.
    fn event(&self, found: &SecretCounts) -> AuditEvent {
        let is_withheld = self.masks && found.unsearched.is_some();
        let mut event = EventDraft::new(AuditEventType::from(SECRET_FOUND), &self.caller)
            .server(&self.server_id)
            .method(&self.method)
            .detail(
                "action",
                if is_withheld {
                    "withheld"
                } else if self.masks {
                    "masked"
                } else {
                    "left"
                },
            )
            .detail("secrets", &found.by_rule);
        if let Some(tool) = &self.tool {
            event = event.tool(tool);
        }
        if let Some(trace) = &self.trace {
            event = event.trace(trace);
        }
        if let Some(reason) = &found.unsearched {
            event = event.detail("reason", &reason.to_string());
        }
        if is_withheld {
            event = event.result(AuditResult::Blocked);
        }
        event.finish()
    }
}

/// Returns the answer for a result that could not be searched. The request may have been carried out.
fn withheld(server_id: &str, error: &SearchError) -> ErrorObject {
    ErrorCode::UpstreamError.error_outcome_unknown(format!(
        "the result of server {server_id:?} is withheld: {error}; with servers[].mgp.results.secrets = \"warn\" it would be passed on"
    ))
}
