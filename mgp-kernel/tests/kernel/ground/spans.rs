//! The spans of requests, as a subscriber takes them.

use crate::{
    raw_host::{As, RawHost},
    raw_server::{RawServer, error, result},
    support::{pause_clock, start, until_some},
};
use mgp_kernel::{Era, SPANS};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};
use tracing::{
    Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
    subscriber::DefaultGuard,
};
use tracing_subscriber::{
    Layer,
    filter::filter_fn,
    layer::{Context, SubscriberExt},
    registry::LookupSpan,
};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

/// The spans that have ended, in the order of their ends, by their fields.
#[derive(Clone, Default)]
struct SpanLog(Arc<Mutex<Vec<Fields>>>);

#[derive(Clone, Debug, Default)]
struct Fields(BTreeMap<&'static str, String>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for SpanLog {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        context.span(id).unwrap().extensions_mut().insert(fields);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let span = context.span(id).unwrap();
        if let Some(fields) = span.extensions_mut().get_mut::<Fields>() {
            values.record(fields);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        if let Some(fields) = context.span(&id).unwrap().extensions_mut().remove::<Fields>() {
            self.0.lock().push(fields);
        }
    }
}

impl SpanLog {
    /// Takes the kernel's spans of this test's thread.
    fn subscribe() -> (Self, DefaultGuard) {
        let ended = Self::default();
        let layer = ended.clone().with_filter(filter_fn(|metadata| metadata.target() == SPANS));
        let guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(layer));
        (ended, guard)
    }

    /// Waits for `COUNT` spans of a kind for tool calls, and returns them.
    async fn calls<const COUNT: usize>(&self, kind: &str) -> [Fields; COUNT] {
        let is_it =
            |fields: &&Fields| fields.is("otel.kind", kind) && fields.is("mcp.method.name", "tools/call");
        until_some(async || {
            let found: Vec<_> = self.0.lock().iter().filter(is_it).cloned().collect();
            assert!(found.len() <= COUNT, "{found:?}");
            found.try_into().ok()
        })
        .await
    }
}

impl Fields {
    fn is(&self, field: &str, value: &str) -> bool {
        self.0.get(field).is_some_and(|found| found == value)
    }

    #[track_caller]
    fn has<const N: usize>(&self, expected: [(&str, &str); N]) {
        for (field, value) in expected {
            assert!(self.is(field, value), "{field} is not {value}: {:?}", self.0);
        }
    }
}

fn works() -> RawServer {
    RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        let is = |word: &str| message["params"]["arguments"][word] == true;
        (message["method"] == "tools/call").then(|| match is("fails") {
            _ if is("hangs") => Vec::new(),
            true => vec![error(message, -32050, "the secret is abc")],
            false => vec![result(message, json!({"content": [{"type": "text", "text": "done"}]}))],
        })
    })
}

fn call(name: &str, arguments: Value, flags: &str) -> Value {
    json!({"name": name, "arguments": arguments,
        "_meta": {"traceparent": format!("00-{TRACE}-00000000000000ff-{flags}")}})
}

async fn answer(host: &mut RawHost, params: Value) -> Value {
    let id = host.send("tools/call", params).await;
    host.answer_to(id).await
}

#[tokio::test]
async fn a_call_and_its_request_to_the_server_join_the_caller_s_span() {
    let (ended, _guard) = SpanLog::subscribe();
    let server = works();
    let setup = start(|kernel, _| kernel.server(server.spec("raw"))).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    answer(&mut host, call("work", json!({}), "01")).await;

    let [outer] = ended.calls("server").await;
    outer.has([
        ("otel.name", "tools/call work"),
        ("trace_id", TRACE),
        ("parent_span_id", "255"),
        ("trace_sampled", "true"),
        ("gen_ai.operation.name", "execute_tool"),
        ("gen_ai.tool.name", "work"),
        ("mcp.protocol.version", "2025-11-25"),
        ("mgp.server.id", "raw"),
        ("mgp.agent.id", "agent.test"),
    ]);
    assert!(!outer.0.contains_key("error.type") && !outer.0.contains_key("mgp.refusal.gate"));
    let [inner] = ended.calls("client").await;
    inner.has([
        ("otel.name", "tools/call work"),
        ("trace_id", TRACE),
        ("parent_span_id", &outer.0["span_id"]),
        ("mgp.server.id", "raw"),
    ]);
    let sent = server.read_of("tools/call");
    let id: u64 = inner.0["span_id"].parse().unwrap();
    assert_eq!(sent[0]["params"]["_meta"]["traceparent"], format!("00-{TRACE}-{id:016x}-01"));
}

#[tokio::test]
async fn failures_have_their_code_and_no_message() {
    let (ended, _guard) = SpanLog::subscribe();
    let setup = start(|kernel, _| kernel.server(works().spec("raw"))).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    answer(&mut host, call("work", json!({"fails": true}), "00")).await;
    answer(&mut host, call("no_such_tool", json!({}), "01")).await;
    let [failed, refused] = ended.calls("server").await;
    let [sent] = ended.calls("client").await;
    for span in [failed, sent] {
        span.has([
            ("error.type", "-32050"),
            ("rpc.response.status_code", "-32050"),
            ("otel.status_code", "ERROR"),
            // The caller does not record its trace.
            ("trace_sampled", "false"),
        ]);
        assert!(!format!("{:?}", span.0).contains("secret"));
    }
    // Hosts could make up names without end, so the span's name has none that means no tool.
    refused.has([
        ("otel.name", "tools/call"),
        ("gen_ai.tool.name", "no_such_tool"),
        ("mgp.refusal.gate", "not_found"),
        ("otel.status_code", "ERROR"),
    ]);
}

#[tokio::test]
async fn a_time_limit_and_a_caller_that_cancels_are_told_apart() {
    let (ended, _guard) = SpanLog::subscribe();
    let server = works();
    let mut spec = server.spec("raw");
    spec.call_timeout = Duration::from_millis(300);
    let setup = start(|kernel, _| kernel.server(spec)).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    let _paused = pause_clock();
    answer(&mut host, call("work", json!({"hangs": true}), "01")).await;
    let [late] = ended.calls("client").await;
    late.has([("error.type", "timeout"), ("otel.status_code", "ERROR")]);

    let id = host.send("tools/call", call("work", json!({"hangs": true}), "01")).await;
    server.has_read("tools/call", 2).await;
    let params = json!({"requestId": id});
    host.say(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})).await;
    let [_, cancelled] = ended.calls("client").await;
    cancelled.has([("error.type", "cancelled"), ("otel.status_code", "ERROR")]);
}

#[tokio::test]
async fn a_trace_that_is_not_recorded_is_marked_so_at_the_server() {
    let (_ended, _guard) = SpanLog::subscribe();
    let server = works();
    let setup = start(|kernel, _| kernel.server(server.spec("raw"))).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    answer(&mut host, call("work", json!({}), "00")).await;
    let sent = server.read_of("tools/call");
    let header = sent[0]["params"]["_meta"]["traceparent"].as_str().unwrap();
    assert!(header.starts_with(&format!("00-{TRACE}-")) && header.ends_with("-00"), "{header}");
}
