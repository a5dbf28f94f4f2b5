//! `initialize`.

use crate::support::{Client, hello};
use mgp_server_sdk::{RiskLevel, Server, Session, Tool, handshake::Handshake};
use mgp_transport::{connection::Connection, memory, seam::Incoming};
use mgp_types::{
    context::TrustLevel,
    mcp::{ClientCapabilities, Implementation, ProtocolVersion},
    negotiation::Negotiation,
};
use serde_json::json;
use xtask_testing::RawPeer;

fn server() -> Server {
    let tool = Tool::new("t", "", async || ()).risk(RiskLevel::Moderate).permissions(["shell.execute"]);
    Server::new("named", "1.2.3")
        .title("A Name")
        .instructions("Use it.")
        .tool(tool)
        .server_id("id.of.it")
        .permissions_required(["memory.read"])
        .trust_level(TrustLevel::Standard)
}

#[tokio::test]
async fn an_mgp_client_is_answered_where_it_offered() {
    let client = Client::mgp(server()).await;
    let result = &client.initialized;
    assert_eq!(result["protocolVersion"], "2025-11-25");
    assert_eq!(result["serverInfo"], json!({"name": "named", "version": "1.2.3", "title": "A Name"}));
    assert_eq!(result["instructions"], "Use it.");
    assert_eq!(result["capabilities"]["tools"], json!({"listChanged": true}));
    let mgp = &result["capabilities"]["mgp"];
    assert_eq!(mgp["version"], "0.3.0");
    assert_eq!(mgp["server_id"], "id.of.it");
    assert_eq!(mgp["trust_level"], "standard");
    assert_eq!(mgp["permissions_required"], json!(["memory.read", "shell.execute"]));
    assert_eq!(
        mgp["extensions"],
        json!([
            "security",
            "permissions",
            "tool_security",
            "lifecycle",
            "streaming",
            "progress",
            "error_handling"
        ])
    );
    assert_eq!(&result["capabilities"]["experimental"]["mgp"], mgp);
}

#[tokio::test]
async fn client_details_are_kept_in_the_session() {
    let handshake = Handshake {
        implementation: Implementation::new("s", "1"),
        instructions: None,
        capabilities: Default::default(),
        profile: Default::default(),
    };
    let service = tower::service_fn(move |incoming: Incoming| {
        let reply = handshake.answer(&incoming);
        async move { Ok::<_, mgp_transport::seam::BoxError>(reply) }
    });
    for mgp in [true, false] {
        let (here, there) = memory::pair();
        let session = Session::new("s");
        let _server = Connection::builder(service.clone()).session(session.clone()).over(there.0, there.1);
        RawPeer::new(here).ask(1, "initialize", hello(mgp)).await;
        assert_eq!(session.has::<Negotiation>(), mgp);
        assert_eq!(session.get::<ProtocolVersion>(), Some(ProtocolVersion::V2025_11_25));
        assert_eq!(session.get::<Implementation>().unwrap().name, "host");
        assert!(session.has::<ClientCapabilities>());
    }
}

#[tokio::test]
async fn a_known_version_is_echoed_and_another_gets_the_latest() {
    for (asked, answered) in [("2024-11-05", "2024-11-05"), ("1999-01-01", "2025-11-25")] {
        let mut client = RawPeer::new(server().build().unwrap().in_process());
        let mut params = hello(false);
        params["protocolVersion"] = json!(asked);
        let answer = client.ask(1, "initialize", params).await;
        assert_eq!(answer["result"]["protocolVersion"], answered);
    }
}

#[tokio::test]
async fn nothing_is_served_before_the_handshake() {
    let mut client = RawPeer::new(server().build().unwrap().in_process());
    let early = client.ask(1, "tools/list", json!({})).await;
    assert_eq!(early["error"]["code"], -32600, "{early}");
    assert_eq!(client.ask(2, "ping", json!({})).await["result"], json!({}));
    let bad = client.ask(3, "initialize", json!({"capabilities": {}})).await;
    assert_eq!(bad["error"]["code"], -32602);
    assert!(bad["error"]["message"].as_str().unwrap().contains("missing protocolVersion"), "{bad}");
    assert!(client.ask(4, "initialize", hello(true)).await["result"].is_object());
    assert!(client.ask(5, "tools/list", json!({})).await["result"].is_object());
}
