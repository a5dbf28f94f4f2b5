//! Requests of our client with untyped answers, so that no part is lost.

use crate::{
    json::{Normal, plain_result},
    peers::{Instance, Transport},
    rows::Context,
};
use mgp_client_sdk::{Era, EraChoice, client::Client};
use mgp_transport::http::client::{ClientTransport, HttpClientConfig};
use mgp_types::{json::RawJson, mcp::ClientCapabilities, rpc::RawParams};
use serde_json::{Value, json};
use std::time::Duration;

/// The most pages of a list that are read.
const MAX_PAGES: usize = 20;

/// A probe with a long time limit: every server of the tables answers it, but some start slowly on a busy machine.
const PATIENT: EraChoice = EraChoice::Auto { probe_timeout: Duration::from_secs(25) };

/// Connects to an instance, in the era that the client finds, or in a given era without a probe.
pub(super) async fn connect(
    context: &Context,
    instance: &Instance,
    era: Option<Era>,
) -> Result<Client, String> {
    connect_with(context, instance, era, capabilities()?).await
}

/// Connects like [`connect`], with other capabilities.
pub(super) async fn connect_with(
    context: &Context,
    instance: &Instance,
    era: Option<Era>,
    capabilities: ClientCapabilities,
) -> Result<Client, String> {
    let builder = Client::builder("peers", env!("CARGO_PKG_VERSION")).capabilities(capabilities);
    let builder = builder.era(era.map_or(PATIENT, EraChoice::Known));
    let connected = match instance {
        Instance::Child(command) => {
            builder.connect_child(&command.child("peer", context.folder.path())).await
        }
        Instance::Running(service) => {
            let transport = match service.transport() {
                Transport::HttpSse => ClientTransport::HttpSse,
                Transport::Stdio | Transport::Http => ClientTransport::Streamable,
            };
            let config = HttpClientConfig { transport, ..HttpClientConfig::default() };
            builder.connect_http(&service.url(), config).await
        }
    };
    connected.map_err(|error| format!("failed to connect: {error}"))
}

/// Returns the capabilities that the kernel declares for its hosts: some servers list tools only for these.
pub(super) fn capabilities() -> Result<ClientCapabilities, String> {
    let capabilities = json!({
        "sampling": {}, "elicitation": { "form": {}, "url": {} }, "roots": { "listChanged": true },
    });
    serde_json::from_value(capabilities).map_err(|error| error.to_string())
}

/// Sends a request, and returns its result unchanged, except for the members that only one era adds.
pub(super) async fn raw(client: &Client, method: &'static str, params: &Value) -> Result<Normal, String> {
    let params = RawJson::parse(params.to_string()).map_err(|error| error.to_string())?;
    let failed = |error| format!("{method} failed: {error}");
    let call = client.peer().start(method, RawParams::from(params)).await.map_err(failed)?;
    Normal::of(&call.reply().await.map_err(failed)?).map(plain_result)
}

/// Reads all items of a list.
pub(super) async fn items(client: &Client, method: &'static str, key: &str) -> Result<Vec<Normal>, String> {
    let mut all = Vec::new();
    let mut params = json!({});
    for _ in 0..MAX_PAGES {
        let page = raw(client, method, &params).await?;
        let Some(Normal::List(items)) = page.get(key) else {
            return Err(format!("{method} has no {key}: {page:?}"));
        };
        all.extend(items.iter().cloned());
        match page.get("nextCursor") {
            Some(Normal::Text(cursor)) => params = json!({ "cursor": cursor }),
            _ => return Ok(all),
        }
    }
    Err(format!("{method} has more than {MAX_PAGES} pages"))
}
