//! Spans on their way to a collector.

use crate::support::{User, text};

/// Adds the address of a collector to a user's configuration.
fn configure(user: &User, lines: &str) {
    let own = user.own_configuration();
    std::fs::write(&own, format!("{}\n[telemetry]\n{lines}", text(&own))).unwrap();
}

#[cfg(not(feature = "otlp"))]
#[test]
fn a_build_without_spans_names_one_that_has_them() {
    let user = User::with_notes();
    configure(&user, "traces = \"http://127.0.0.1:4318/v1/traces\"\n");
    let failed = user.run(&["serve"]).fails_with(3);
    assert!(failed.stderr.contains("cargo install --path mgp --features otlp"), "{failed:?}");
}

#[cfg(feature = "otlp")]
mod with_a_collector {
    use super::*;
    use opentelemetry_proto::tonic::{
        collector::trace::v1::ExportTraceServiceRequest,
        common::v1::{KeyValue, any_value::Value},
        trace::v1::{Span, span::SpanKind, status::StatusCode},
    };
    use prost::Message;
    use serde_json::json;
    use std::{
        io::{BufRead, BufReader, Read, Write},
        net::{TcpListener, TcpStream},
        sync::mpsc::{Receiver, Sender, channel},
    };
    use xtask_testing::block_until_some;

    /// A request to the collector.
    struct Export {
        head: String,
        message: ExportTraceServiceRequest,
    }

    /// Starts a collector. Returns its port, and what it gets.
    fn collector() -> (u16, Receiver<Export>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (exports, received) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let exports = exports.clone();
                std::thread::spawn(move || serve(stream.unwrap(), &exports));
            }
        });
        (port, received)
    }

    fn serve(mut stream: TcpStream, exports: &Sender<Export>) {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        loop {
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") {
                if reader.read_line(&mut head).unwrap() == 0 {
                    return;
                }
            }
            let head = head.to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
            let mut body = vec![0; length.parse().unwrap()];
            reader.read_exact(&mut body).unwrap();
            let message = ExportTraceServiceRequest::decode(&*body).unwrap();
            let _ = exports.send(Export { head, message });
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").unwrap();
        }
    }

    fn attribute(attributes: &[KeyValue], key: &str) -> Option<String> {
        let found = attributes.iter().find(|attribute| attribute.key == key)?;
        match found.value.as_ref()?.value.as_ref()? {
            Value::StringValue(text) => Some(text.clone()),
            other => Some(format!("{other:?}")),
        }
    }

    #[test]
    fn a_call_arrives_as_two_spans_under_its_caller_s() {
        let (port, received) = collector();
        let user = User::with_notes();
        configure(
            &user,
            &format!("traces = \"http://127.0.0.1:{port}/v1/traces\"\ntraces_authorization = \"Bearer t\"\n"),
        );
        let mut host = user.serve(&[]);
        let trace = "0af7651916cd43dd8448eb211c80319c";
        for (id, tool, flags) in [(2, "list_notes", "01"), (3, "no_such_tool", "01"), (4, "list_notes", "00")]
        {
            let meta = json!({ "traceparent": format!("00-{trace}-00000000000000{id:02x}-{flags}") });
            host.send(id, "tools/call", &json!({ "name": tool, "arguments": {}, "_meta": meta }));
            host.reply(id);
        }
        host.close();
        assert_eq!(host.end(), 0);

        // The collector's thread may still be reading the last batch.
        let mut exports: Vec<Export> = Vec::new();
        while !spans(&exports).iter().any(|span| *span.parent_span_id == 3u64.to_be_bytes()) {
            exports.push(block_until_some(|| received.try_recv().ok()));
        }
        exports.extend(received.try_iter());
        let (first, spans) = (&exports[0], spans(&exports));
        for line in ["post /v1/traces", "content-type: application/x-protobuf", "authorization: bearer t"] {
            assert!(first.head.contains(line), "{line}: {}", first.head);
        }
        let resource = first.message.resource_spans[0].resource.as_ref().unwrap();
        assert_eq!(attribute(&resource.attributes, "service.name").as_deref(), Some("mgp"));
        for span in &spans {
            let mut keys: Vec<_> = span.attributes.iter().map(|attribute| &attribute.key).collect();
            keys.sort();
            let all = keys.len();
            keys.dedup();
            assert_eq!(keys.len(), all, "an attribute twice: {:?}", span.attributes);
        }
        let of = |kind: SpanKind, parent: u64| {
            let mut found = spans.iter().filter(|span| {
                span.kind == kind as i32
                    && attribute(&span.attributes, "mcp.method.name").as_deref() == Some("tools/call")
                    && *span.parent_span_id == parent.to_be_bytes()
            });
            let span = found.next().cloned();
            assert!(found.next().is_none());
            span
        };
        let call = of(SpanKind::Server, 2).unwrap();
        assert_eq!((&*call.name, call.trace_id.len(), call.span_id.len()), ("tools/call list_notes", 16, 8));
        assert_eq!(call.trace_id, u128::from_str_radix(trace, 16).unwrap().to_be_bytes());
        assert_eq!(attribute(&call.attributes, "mgp.trace.id").as_deref(), Some(trace));
        let id = u64::from_be_bytes(call.span_id.clone().try_into().unwrap());
        let sent = of(SpanKind::Client, id).unwrap();
        assert_eq!(sent.trace_id, call.trace_id);
        assert_eq!(attribute(&sent.attributes, "mgp.server.id").as_deref(), Some("notes"));
        assert!(call.start_time_unix_nano <= sent.start_time_unix_nano);
        assert!(sent.end_time_unix_nano <= call.end_time_unix_nano);
        let refused = of(SpanKind::Server, 3).unwrap();
        assert_eq!(refused.status.unwrap().code, StatusCode::Error as i32);
        assert_eq!(attribute(&refused.attributes, "mgp.refusal.gate").as_deref(), Some("not_found"));
        // Its caller does not record the trace.
        assert!(of(SpanKind::Server, 4).is_none());
    }

    fn spans(exports: &[Export]) -> Vec<Span> {
        let all = exports.iter().flat_map(|export| &export.message.resource_spans);
        all.flat_map(|resource| &resource.scope_spans).flat_map(|scope| scope.spans.clone()).collect()
    }

    #[test]
    fn an_absent_collector_delays_nothing() {
        let user = User::with_notes();
        configure(&user, "traces = \"http://127.0.0.1:1/v1/traces\"\n");
        let mut child = user
            .command(&["serve"])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" },
        } });
        writeln!(child.stdin.take().unwrap(), "{initialize}").unwrap();
        assert!(block_until_some(|| child.try_wait().unwrap()).success());
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!(stderr.matches("spans are lost until the collector").count(), 1, "{stderr}");
    }

    #[test]
    fn spans_do_not_leave_this_machine_unencrypted() {
        let user = User::with_notes();
        configure(&user, "traces = \"http://collector.example/v1/traces\"\n");
        let refused = user.run(&["serve"]).fails_with(3).stderr;
        assert!(refused.contains("telemetry.traces") && refused.contains("https"), "{refused}");
    }
}
