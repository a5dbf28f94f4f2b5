//! §3.5, §3.6: what a server is told of its permissions.

use crate::support::{json, start, within};
use mgp_client_sdk::kernel::{Endpoint, InProcess, ServerSpec};
use mgp_transport::{
    connection::{Config, Connection},
    memory,
    seam::{BoxError, Incoming, Peer, Reply},
};
use mgp_types::{
    context::Principal,
    json::{RawJson, RawObject},
    negotiation::MGP_VERSION,
    permission::Permission,
};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

const TOOLS: &str = r#"{"tools":[{"name":"snap","inputSchema":{"type":"object"},"security":{"risk_level":"moderate","permissions_required":["camera"]}}]}"#;

/// A server whose tool needs the camera. Says whom it is connected to, and what it hears.
fn camera(peers: UnboundedSender<Peer>, heard: UnboundedSender<(String, RawObject)>) -> ServerSpec {
    let endpoint = InProcess::new(move || {
        let (here, there) = memory::pair();
        let heard = heard.clone();
        let service = tower::service_fn(move |message: Incoming| {
            let heard = heard.clone();
            async move {
                let answer = match &*message.method {
                    "initialize" => format!(
                        r#"{{"protocolVersion":"2025-06-18","capabilities":{{"tools":{{"listChanged":true}},"mgp":{{"version":"{MGP_VERSION}","extensions":["security"]}}}},"serverInfo":{{"name":"camera","version":"1"}}}}"#
                    ),
                    "tools/list" => TOOLS.to_owned(),
                    _ => "{}".to_owned(),
                };
                heard.send((message.method.to_string(), message.params.object()?.clone()))?;
                Ok::<_, BoxError>(if message.is_notification() {
                    Reply::none()
                } else {
                    Reply::ok(RawJson::parse(answer)?)
                })
            }
        });
        let connection = Connection::builder(service).config(Config::default()).over(there.0, there.1);
        peers.send(connection.peer().clone()).unwrap();
        tokio::spawn(connection.closed());
        here
    });
    ServerSpec::new("camera", Endpoint::InProcess(endpoint))
}

/// The next message by this method.
async fn next(heard: &mut UnboundedReceiver<(String, RawObject)>, method: &str) -> RawObject {
    within(async {
        loop {
            let (heard, params) = heard.recv().await.unwrap();
            if heard == method {
                return params;
            }
        }
    })
    .await
}

#[tokio::test]
async fn a_server_is_told_what_waits_and_what_was_decided_and_nothing_twice() {
    let (peers, mut connected) = unbounded_channel();
    let (hears, mut heard) = unbounded_channel();
    let setup = start(|kernel, _| kernel.server(camera(peers, hears))).await;
    let peer = connected.recv().await.unwrap();

    let asked = next(&mut heard, "mgp/permission/request").await;
    assert_eq!(asked.get("permissions"), Some(&json(r#"["camera"]"#)));
    let camera: Permission = "camera".parse().unwrap();
    setup.kernel.permissions().grant("camera", &camera, &Principal::operator("ann"), None).await.unwrap();
    let told = next(&mut heard, "mgp/permission/response").await;
    assert_eq!(told.get("grants"), Some(&json(r#"{"camera":"approved"}"#)));
    assert_eq!(told.get("request_id"), asked.get("request_id"));

    peer.notify("notifications/tools/list_changed", json("{}")).await.unwrap();
    next(&mut heard, "tools/list").await;
    let more = tokio::time::timeout(Duration::from_millis(300), heard.recv()).await;
    assert!(more.is_err(), "{more:?}");
}
