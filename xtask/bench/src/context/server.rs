//! A server that lists tools verbatim, and does nothing else.

use mgp_kernel::{Endpoint, Era, EraChoice, InProcess, ServerSpec};
use mgp_transport::memory;
use mgp_types::{access::DefaultPolicy, json::RawJson};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

/// Returns a server in the form in which the kernel is configured.
pub(super) fn spec(id: &str, tools: &[RawJson]) -> ServerSpec {
    let tools: Vec<&str> = tools.iter().map(RawJson::as_str).collect();
    let list: Arc<str> = format!(r#"{{"tools":[{}]}}"#, tools.join(",")).into();
    let endpoint = Endpoint::InProcess(InProcess::new(move || {
        let (near, far) = memory::pair();
        tokio::spawn(serve(far, Arc::clone(&list)));
        near
    }));
    let mut spec = ServerSpec::new(id, endpoint);
    spec.default_policy = DefaultPolicy::OptOut;
    spec.era = EraChoice::Known(Era::Initialize);
    spec
}

async fn serve(end: memory::End, list: Arc<str>) {
    let (input, mut output) = end;
    let mut lines = BufReader::new(input).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let Ok(message) = serde_json::from_str::<Value>(&line) else { return };
        let Some(id) = message.get("id") else { continue };
        let result = match message["method"].as_str() {
            Some("initialize") => json!({
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "bench", "version": "1.0.0"},
            })
            .to_string(),
            Some("tools/list") => list.to_string(),
            _ => "{}".to_owned(),
        };
        let answer = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n");
        if output.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}
