//! An event is stored in the audit trail before the request that it is about is answered.

use crate::{
    boot::life::fragile,
    features::eras::{everything, spec},
    raw_host::{As, ERAS, RawHost},
    raw_server::{RawServer, says, text},
    support::{Signals, agent_test, pass, ready, server_rule, until, within},
};
use mgp_kernel::{AuditBefore, Era, Kernel, ServerSpec};
use mgp_security::audit::{AuditError, AuditSink, StoreFuture};
use mgp_types::{
    audit::AuditEvent,
    lifecycle::{RestartConfig, RestartPolicy},
    negotiation::MGP_VERSION,
};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tokio::sync::oneshot;

/// The sender of the outcome of storing an event.
type Store = oneshot::Sender<Result<(), AuditError>>;

/// A sink that stores an event of one type when the test says so, and all others at once.
#[derive(Debug, Clone)]
struct HoldingSink {
    kind: &'static str,
    events: Arc<Mutex<Vec<Store>>>,
}

impl AuditSink for HoldingSink {
    fn record(&self, event: AuditEvent) -> StoreFuture {
        if event.event_type.to_string() != self.kind {
            return StoreFuture::ready(Ok(()));
        }
        let (store, stored) = oneshot::channel();
        self.events.lock().push(store);
        StoreFuture::waiting(stored)
    }
}

impl HoldingSink {
    fn new(kind: &'static str) -> Self {
        Self { kind, events: Arc::default() }
    }

    /// Waits for an event, and until every task does nothing but wait for it.
    async fn next(&self) -> Store {
        until(|| !self.events.lock().is_empty()).await;
        pass(Duration::from_millis(1)).await;
        self.events.lock().remove(0)
    }
}

async fn kernel(sink: &HoldingSink, server: ServerSpec) -> Kernel {
    let builder = Kernel::builder().audit_sink(sink.clone()).config(agent_test);
    let id = server.id.clone();
    let kernel = builder.server(server).start().await.unwrap();
    kernel.access().put(server_rule("agent.test", &id)).await.unwrap();
    ready(&kernel).await;
    kernel
}

#[tokio::test]
async fn a_request_is_answered_only_after_its_event_is_stored() {
    for host_era in ERAS {
        let sink = HoldingSink::new("dev.cloto.mgp.REQUEST_FORWARDED");
        let kernel = kernel(&sink, spec("all", Era::Initialize, &everything())).await;
        for (stored, answered) in [(Ok(()), true), (Err(AuditError::new("the disk is full")), false)] {
            let mut host = RawHost::connect(&kernel, As::plain(host_era)).await;
            let asked = host.send("resources/read", json!({"uri": "mem://note"})).await;
            let event = sink.next().await;
            host.settle().await;
            assert!(host.read.iter().all(|message| message["id"] != asked), "{host_era:?}: {:?}", host.read);
            event.send(stored).unwrap();
            let answer = host.answer_to(asked).await;
            assert_eq!(answer.get("result").is_some(), answered, "{answer}");
        }
    }
}

#[tokio::test]
async fn a_call_is_sent_only_after_the_event_before_it_is_stored() {
    let sink = HoldingSink::new("dev.cloto.mgp.TOOL_DISPATCHED");
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        (message["method"] == "tools/call").then(|| vec![text(message, "done")])
    });
    let builder = Kernel::builder().audit_sink(sink.clone()).config(|config| {
        config.audit.before = AuditBefore::All;
        config.kernel.agent = "agent.test".into();
    });
    let kernel = builder.server(server.spec("srv")).start().await.unwrap();
    ready(&kernel).await;
    let mut host = RawHost::connect(&kernel, As::mgp(Era::Initialize)).await;
    let reached = || server.read_of("tools/call").len();
    for (stored, answered) in [(Ok(()), 1), (Err(AuditError::new("the disk is full")), 0)] {
        let before = reached();
        let asked = host.send("tools/call", json!({"name": "work", "arguments": {}})).await;
        let event = sink.next().await;
        assert_eq!(reached(), before, "the call waits");
        event.send(stored).unwrap();
        let answer = host.answer_to(asked).await;
        assert_eq!(reached(), before + answered, "{answer}");
        assert_eq!(answer["error"]["code"].as_i64(), (answered == 0).then_some(3001), "{answer}");
    }
}

#[tokio::test]
async fn a_question_is_answered_only_after_its_event_is_stored() {
    let form = json!({"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}});
    let call = Mutex::new(Value::Null);
    let server =
        RawServer::new(Era::Initialize, json!({"tools": {}}), move |message| {
            match message["method"].as_str() {
                Some("tools/call") => {
                    *call.lock() = message.clone();
                    Some(vec![says(Some(77), "elicitation/create", form.clone())])
                }
                None if message["id"] == 77 => Some(vec![text(&call.lock(), "heard")]),
                _ => None,
            }
        });
    let sink = HoldingSink::new("dev.cloto.mgp.HOST_ASKED");
    let mut spec = server.spec("srv");
    spec.default_policy = mgp_types::access::DefaultPolicy::OptOut;
    let kernel = kernel(&sink, spec).await;
    let answers = || server.read().into_iter().filter(|message| message["id"] == 77).collect::<Vec<_>>();
    for (round, stored) in [Ok(()), Err(AuditError::new("the disk is full"))].into_iter().enumerate() {
        let answered = stored.is_ok();
        let mut host = RawHost::connect(&kernel, As::plain(Era::Initialize)).await;
        let asked = host.send("tools/call", json!({"name": "work", "arguments": {}})).await;
        host.next().await;
        let event = sink.next().await;
        assert_eq!(answers().len(), round, "the server waits");
        event.send(stored).unwrap();
        assert_eq!(host.answer_to(asked).await["result"]["content"][0]["text"], "heard");
        assert_eq!(answers()[round].get("result").is_some(), answered, "{:?}", answers());
    }
}

#[tokio::test]
async fn a_server_without_restarts_advises_no_retry_before_its_event() {
    for (restart_policy, max_restarts) in [(RestartPolicy::Never, 2), (RestartPolicy::OnFailure, 0)] {
        let (sink, signals) = (HoldingSink::new("SERVER_DISCONNECTED"), Signals::default());
        let (mut fragile, lines) = fragile(&signals);
        fragile.restart = RestartConfig { restart_policy, max_restarts, ..fragile.restart };
        let kernel = kernel(&sink, fragile).await;
        let mut host = RawHost::connect(&kernel, As::mgp(Era::Initialize)).await;
        lines.lock().pop().unwrap().abort();
        let event = sink.next().await;
        let call = json!({"name": "add", "arguments": {"a": 1, "b": 1}});
        let refused = host.refused("tools/call", call).await;
        assert_eq!((&refused["code"], &refused["data"]["_mgp"]["retryable"]), (&json!(2000), &json!(false)));
        assert!(refused["message"].as_str().unwrap().contains("is not started again"), "{refused}");
        event.send(Ok(())).unwrap();
    }
}

/// Returns a server that needs a permission by itself.
fn needs_camera() -> ServerSpec {
    let mgp = json!({"version": MGP_VERSION, "extensions": [], "permissions_required": ["camera"]});
    RawServer::new(Era::Initialize, json!({"tools": {}, "mgp": mgp}), |_| None).spec("srv")
}

#[tokio::test]
async fn a_server_is_connected_once_its_connection_is_recorded() {
    let sink = HoldingSink::new("SERVER_CONNECTED");
    let kernel = Kernel::builder().audit_sink(sink.clone()).server(needs_camera()).start().await.unwrap();
    let event = sink.next().await;
    assert_eq!(kernel.ready(Duration::ZERO).await, ["srv"]);
    event.send(Ok(())).unwrap();
    ready(&kernel).await;
}

#[tokio::test]
async fn a_shutdown_waits_for_the_events_of_questions_with_a_bound() {
    for is_stored in [true, false] {
        let sink = HoldingSink::new("dev.cloto.mgp.APPROVAL_NEEDED");
        let kernel = Kernel::builder().audit_sink(sink.clone()).server(needs_camera()).start().await.unwrap();
        ready(&kernel).await;
        let stopped = kernel.clone();
        let end = tokio::spawn(async move { stopped.shutdown().await });
        let event = sink.next().await;
        assert!(!end.is_finished(), "the event is not stored yet");
        if is_stored {
            event.send(Ok(())).unwrap();
        }
        within(end).await.unwrap();
        assert_eq!(kernel.permissions().pending().await.unwrap().len(), 1);
    }
}
