//! §13.4 Callbacks over HTTP on both sides of the kernel, where each call has a stream of its own.

use crate::{
    host::http_eras::{face, url},
    support::{agents, json, start, within},
};
use mgp_client_sdk::client::{CallbackAnswer, Client};
use mgp_discovery::config::HostFeature;
use mgp_kernel::{CallbackRequestParams, Endpoint, Era, EraChoice, HttpClientConfig, ServerSpec};
use mgp_server_sdk::{Server, Tool, ToolError, ask::Ask};
use mgp_transport::{
    http::server::HttpServer,
    seam::{BoxError, BoxPeerService, Incoming, Reply},
};
use mgp_types::{
    access::DefaultPolicy,
    json::{RawJson, RawObject},
    rpc::RawParams,
};
use std::sync::Arc;
use tokio::sync::{Barrier, watch};
use tower::ServiceExt;

const ASKS: &str = "notifications/mgp.callback.request";
const RESPOND: &str = "mgp/callback/respond";

fn params(value: serde_json::Value) -> RawParams {
    RawJson::parse(value.to_string()).unwrap().into()
}

/// A server whose calls ask who makes them, by callbacks that name the request, or no request but come on its stream.
fn asking(names_request: bool) -> impl Fn() -> BoxPeerService + Send + Sync + 'static {
    let both_run = Arc::new(Barrier::new(2));
    let ask = async |ask: Ask| Ok::<_, ToolError>(ask.confirm("sure", "?").await?.to_string());
    let stack = Server::new("s", "1").tool(Tool::new("who", "Asks who calls", ask)).build().unwrap();
    let (answered, _) = watch::channel(RawObject::new());
    let answered = Arc::new(answered);
    move || {
        let (stack, both_run, answered) = (stack.clone(), both_run.clone(), answered.clone());
        mgp_transport::seam::boxed(tower::service_fn(move |message: Incoming| {
            let (stack, both_run, answered) = (stack.clone(), both_run.clone(), answered.clone());
            async move {
                if *message.method == *RESPOND {
                    let given = message.params.object()?;
                    let (id, response) =
                        (given.text("callback_id").unwrap(), given.text("response").unwrap());
                    answered.send_modify(|answers| {
                        answers.insert_named(&id, RawJson::string(&response));
                    });
                    return Ok(Reply::ok(json(r#"{"accepted":true}"#)));
                }
                if *message.method != *"tools/call" {
                    return stack.service().oneshot(message).await;
                }
                both_run.wait().await;
                let id = message.id.clone().unwrap().to_string();
                let mut asked = serde_json::json!({"callback_id": id, "type": "input", "message": "Who?"});
                if names_request {
                    asked["request_id"] = serde_json::from_str(&id).unwrap();
                }
                message.peer().unwrap().notify(ASKS, params(asked)).await?;
                let mut answered = answered.subscribe();
                let answers = answered.wait_for(|answers| answers.get(&id).is_some()).await?.clone();
                let text = serde_json::json!([{"type": "text", "text": answers.text(&id)}]);
                Ok::<_, BoxError>(Reply::ok(RawJson::parse(format!("{{\"content\":{text}}}"))?))
            }
        }))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_of_two_hosts_is_asked_only_the_callback_of_its_own_call() {
    for names_request in [true, false] {
        let service = asking(names_request);
        let behind = HttpServer::builder(move |_| (service(), None::<BoxPeerService>));
        let behind = behind.build().bind("127.0.0.1:0").await.unwrap();
        let endpoint = Endpoint::Http { url: url(&behind), config: HttpClientConfig::default() };
        let mut spec = ServerSpec::new("s", endpoint);
        spec.era = EraChoice::Known(Era::Initialize);
        spec.default_policy = DefaultPolicy::OptOut;
        spec.host_features = vec![HostFeature::Callback];
        let setup = start(|kernel, _| kernel.server(spec).config(agents(["agent.other"]))).await;
        let serving = face(&setup.kernel).await;
        let call = async |agent: &'static str| {
            let answer = move |asked: CallbackRequestParams| {
                assert_eq!(asked.message, "[s] Who?");
                std::future::ready(CallbackAnswer::text(agent))
            };
            let builder =
                Client::builder("host", "1").on_callback(answer).era(EraChoice::Known(Era::Initialize));
            let config = HttpClientConfig { bearer: Some(agent.to_owned()), ..HttpClientConfig::default() };
            let host = builder.connect_http(&url(&serving), config).await.unwrap();
            within(host.call_tool("who", json("{}"))).await.unwrap().content[0].as_text().unwrap().to_owned()
        };
        let answers = tokio::join!(call("agent.test"), call("agent.other"));
        assert_eq!(answers, ("agent.test".to_owned(), "agent.other".to_owned()), "{names_request}");
        within(serving.shutdown()).await;
    }
}
