//! A server of ours with questions and events, through our kernel, for hosts of every kind: our own, which answer callbacks or show
//! forms, and other people's, which show forms.

use crate::{
    peers::{Call, HostClient, HostUser, Instance, Kernel, Upstream},
    rows::{Context, Row, row},
    tap::Command,
};
use futures_util::FutureExt;
use mgp_client_sdk::{
    CallbackRequestParams, Era, EraChoice,
    client::{CallbackAnswer, Client, EventItem},
};
use mgp_types::{
    json::RawJson,
    mcp::{ElicitResult, FormElicitation},
};
use std::{future::ready, time::Duration};

/// The eras of hosts and servers.
const ERAS: [(&str, Era); 2] = [("initialize", Era::Initialize), ("stateless", Era::Stateless)];
/// Other people's hosts, which show forms.
const HOSTS: [HostClient; 5] = [
    HostClient::Python1,
    HostClient::Python2(Era::Initialize),
    HostClient::Python2(Era::Stateless),
    HostClient::TypeScript(Era::Initialize),
    HostClient::TypeScript(Era::Stateless),
];
/// The time limit of an event.
const EVENT: Duration = Duration::from_secs(60);

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (server, era) in ERAS {
        for (host, host_era) in ERAS {
            let name = format!("live/mgp-{host}-server-{server}");
            rows.push(row(name, &[], move |context| own(context, host_era, era)));
        }
        for host in HOSTS {
            let name = format!("live/{}-server-{server}", host.name());
            rows.push(row(name, host.packages(), move |context| other(context, host, era)));
        }
    }
    rows
}

/// Returns the kernel in front of the server, in an era.
fn kernel(context: &Context, era: Era) -> Result<Kernel, String> {
    let server = Command::new(&context.programs.deploy);
    let server = server.tapped(&context.programs, &context.folder.record("server"));
    let upstream = Upstream::new("deployer", Instance::Child(server)).in_era(Some(era));
    Kernel::configure(context, "full", &[], vec![upstream])
}

/// Plays a host of ours, which subscribes to the server's channel, and whose user agrees.
async fn own(context: Context, host: Era, server: Era) -> Result<(), String> {
    let kernel = kernel(&context, server)?;
    let builder = Client::builder("peers", env!("CARGO_PKG_VERSION")).era(EraChoice::Known(host));
    // Callbacks need a session. A host without one is asked by rounds of input.
    let builder = match host {
        Era::Initialize => builder.on_callback(|_: CallbackRequestParams| ready(CallbackAnswer::confirm())),
        Era::Stateless => builder.on_elicit_form(|_: FormElicitation| ready(ElicitResult::accept())),
    };
    let command = kernel.stdio(&context).child("mgp", context.folder.path());
    let client =
        builder.connect_child(&command).await.map_err(|error| format!("failed to connect: {error}"))?;
    // The list is answered once the server is up.
    client.list_tools().await.map_err(|error| format!("failed to list: {error}"))?;
    let events = client.events(["deploy.*"]).await;
    let mut events = events.map_err(|error| format!("failed to subscribe: {error}"))?;
    let called = client.call_tool("deploy", RawJson::empty_object()).await;
    let called = called.map_err(|error| format!("failed to call: {error}"))?;
    deployed(called.content.first().and_then(|block| block.as_text()))?;
    let event = tokio::time::timeout(EVENT, events.next()).await;
    match event.map_err(|_| format!("no event came within {EVENT:?}"))? {
        Ok(EventItem::Event(event)) if event.channel == "deploy.finished" => Ok(()),
        other => Err(format!("the stream has {other:?}, expected an event of deploy.finished")),
    }
}

/// Plays a host of other people, whose user submits every form.
async fn other(context: Context, host: HostClient, server: Era) -> Result<(), String> {
    let (reach, _) = kernel(&context, server)?.reach(&context, false).await?;
    let calls = [Call::new("deploy", "{}")];
    let played = host.play_for(HostUser::Agrees, &context.folder, &reach, &calls).boxed().await?;
    let answer = played.calls.first().ok_or("the call has no answer")?;
    deployed(answer.text().ok().as_deref()).map_err(|error| format!("{error}: {answer:?}"))
}

fn deployed(text: Option<&str>) -> Result<(), String> {
    match text {
        Some("deployed") => Ok(()),
        other => Err(format!("the answer is {other:?}, expected \"deployed\"")),
    }
}
