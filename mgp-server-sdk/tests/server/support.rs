//! The client's end, typed.

use mgp_server_sdk::{Server, ServerStack};
use mgp_transport::{
    connection::Connection,
    seam::{BoxError, CallError, Incoming, PendingCall, Reply},
};
use mgp_types::{
    json::RawJson,
    negotiation::{ExtensionSet, put_offer},
    rpc::{ErrorObject, RawParams},
};
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// A client that has finished its handshake.
pub(crate) struct Client {
    pub(crate) connection: Connection,
    pub(crate) initialized: Value,
    pub(crate) heard: mpsc::UnboundedReceiver<(String, Value)>,
}

pub(crate) fn raw(value: &Value) -> RawParams {
    RawJson::parse(value.to_string()).unwrap().into()
}

/// Leaves the check of arguments to the functions.
pub(crate) fn unchecked(server: Server) -> Server {
    #[cfg(feature = "check-arguments")]
    let server = server.check_arguments(false);
    server
}

/// Returns the params with which a client opens a session.
pub(crate) fn hello(mgp: bool) -> Value {
    let mut capabilities = mgp_types::json::RawObject::new();
    if mgp {
        put_offer(&mut capabilities, ExtensionSet::ALL);
    }
    let capabilities: Value = capabilities.to_json().decode().unwrap();
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": capabilities,
        "clientInfo": {"name": "host", "version": "2"},
    })
}

impl Client {
    /// Connects a client that speaks MGP.
    pub(crate) async fn mgp(server: Server) -> Self {
        Self::of(&server.build().unwrap(), true).await
    }

    /// Connects a plain MCP client.
    pub(crate) async fn plain(server: Server) -> Self {
        Self::of(&server.build().unwrap(), false).await
    }

    pub(crate) async fn of(stack: &ServerStack, mgp: bool) -> Self {
        let (hear, heard) = mpsc::unbounded_channel();
        let service = tower::service_fn(move |incoming: Incoming| {
            let params = incoming.params.get().map_or(Value::Null, |json| json.decode().unwrap());
            let _ = hear.send((incoming.method.to_string(), params));
            async { Ok::<_, BoxError>(Reply::none()) }
        });
        let (input, output) = stack.in_process();
        let connection = Connection::builder(service).over(input, output);
        let mut client = Self { connection, initialized: Value::Null, heard };
        client.initialized = client.request("initialize", hello(mgp)).await.unwrap();
        client.connection.peer().notify("notifications/initialized", RawParams::none()).await.unwrap();
        client
    }

    pub(crate) async fn start(&self, method: &'static str, params: Value) -> PendingCall {
        self.connection.peer().start(method, raw(&params)).await.unwrap()
    }

    pub(crate) async fn request(&self, method: &'static str, params: Value) -> Result<Value, ErrorObject> {
        result(self.start(method, params).await).await
    }

    /// Calls a tool.
    pub(crate) async fn call(&self, name: &str, arguments: Value) -> Result<Value, ErrorObject> {
        self.request("tools/call", json!({"name": name, "arguments": arguments})).await
    }

    /// Calls a tool that answers one text.
    pub(crate) async fn text(&self, name: &str, arguments: Value) -> String {
        let result = self.call(name, arguments).await.unwrap();
        assert_ne!(result["isError"], true, "{result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Calls a tool that fails with a text.
    pub(crate) async fn failure(&self, name: &str, arguments: Value) -> String {
        let result = self.call(name, arguments).await.unwrap();
        assert_eq!(result["isError"], true, "{result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Returns the next notification that belongs to no call.
    pub(crate) async fn heard(&mut self) -> (String, Value) {
        self.heard.recv().await.unwrap()
    }

    /// Proves that the client has received nothing else up to now.
    pub(crate) async fn heard_nothing_more(&mut self) {
        self.request("ping", json!({})).await.unwrap();
        settle().await;
        assert_eq!(self.heard.try_recv().ok(), None);
    }
}

pub(crate) async fn result(call: PendingCall) -> Result<Value, ErrorObject> {
    match call.reply().await {
        Ok(result) => Ok(result.decode().unwrap()),
        Err(CallError::Peer(error)) => Err(error),
        Err(error) => panic!("{error}"),
    }
}

/// Lets every task do what it can.
pub(crate) async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}
