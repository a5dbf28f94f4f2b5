//! Other people's clients in front of the server that MCP's suite tests: directly, through our kernel, and through replicas of it.

use super::offers::is_manifest;
use crate::{
    json::{Normal, difference},
    peers::{
        Answer, Call, HostClient, HostResults, Instance, Kernel, Reach, Replicas, Service, Transport,
        Upstream,
    },
    rows::{Context, Row, row},
    tap::{Command, Record},
};
use mgp_client_sdk::Era;
use xtask_install::ProgramFeatures;

/// Calls with a text of their answers, or `None` if the tool fails. Clients that connect for each call make only the first.
const CALLS: &[(&str, Option<&str>)] = &[
    ("test_multiple_content_types", Some("Multiple content types")),
    ("test_simple_text", Some("This is a simple text response")),
    ("test_error_handling", None),
];

/// Returns the rows. Replicas need a database, which a program with its default features cannot use.
pub(super) fn rows(features: ProgramFeatures) -> Vec<Row> {
    let mut rows = Vec::new();
    for client in HostClient::ALL {
        for transport in [Transport::Stdio, Transport::Http] {
            let name = if transport == Transport::Stdio { "stdio" } else { "http" };
            let run = move |context| run(context, client, transport);
            rows.push(row(format!("fixture/{}-{name}", client.name()), client.packages(), run));
        }
        if features == ProgramFeatures::All {
            let run = move |context| with_replicas(context, client);
            let replicas = row(format!("fixture/{}-replicas", client.name()), client.packages(), run);
            rows.push(replicas.unless(Replicas::obstacle));
        }
    }
    rows
}

async fn run(context: Context, client: HostClient, transport: Transport) -> Result<(), String> {
    let direct = directly(&context, client, transport).await?;
    let kernel = kernel(&context, transport).await?;
    let (reach, service) = kernel.reach(&context, transport == Transport::Http).await?;
    let through = play(&context, client, &reach, "host").await?;
    stop(service).await?;
    kernel.stop_upstreams().await?;
    alike(&through, &direct)
}

/// Runs a client in front of replicas, each of which may get any of its requests.
async fn with_replicas(context: Context, client: HostClient) -> Result<(), String> {
    let direct = directly(&context, client, Transport::Http).await?;
    let (replicas, kernel) = Replicas::start(kernel(&context, Transport::Http).await?, &context).await?;
    let through = play(&context, client, &Reach::Url(replicas.url()), "host").await?;
    replicas.stop().await?;
    kernel.stop_upstreams().await?;
    alike(&through, &direct)
}

/// Runs a client in front of the server itself.
async fn directly(
    context: &Context,
    client: HostClient,
    transport: Transport,
) -> Result<HostResults, String> {
    let (reach, service) = match instance(context, transport, "direct").await? {
        Instance::Child(command) => (Reach::Command(command), None),
        Instance::Running(service) => (Reach::Url(service.url()), Some(service)),
    };
    let direct = play(context, client, &reach, "direct").await?;
    stop(service).await?;
    Ok(direct)
}

/// Configures a kernel in front of a copy of the server.
async fn kernel(context: &Context, transport: Transport) -> Result<Kernel, String> {
    let upstream = Upstream::new("fixture", instance(context, transport, "upstream").await?);
    Kernel::configure(context, "full", &[], vec![upstream])
}

/// Starts a copy of the server.
async fn instance(context: &Context, transport: Transport, name: &str) -> Result<Instance, String> {
    let record = context.folder.record(name);
    let command = Command::new(&context.programs.conformance);
    if transport == Transport::Stdio {
        return Ok(Instance::Child(command.args(["--stdio"]).tapped(&context.programs, &record)));
    }
    let start = |port: u16| {
        let command = command.args(["--listen".to_owned(), format!("127.0.0.1:{port}")]);
        command.tapped(&context.programs, &record)
    };
    Service::start(start, transport, &context.folder, "the fixture").await.map(Instance::Running)
}

async fn stop(service: Option<Service>) -> Result<(), String> {
    match service {
        Some(service) => service.stop().await,
        None => Ok(()),
    }
}

/// Runs everything that one client does, and checks the parts that must be right with every server.
async fn play(
    context: &Context,
    client: HostClient,
    reach: &Reach,
    record: &str,
) -> Result<HostResults, String> {
    let at = |error| format!("{record}: {error}");
    let expected = if client.connects_for_each() { CALLS.get(..1).unwrap_or(CALLS) } else { CALLS };
    let calls: Vec<_> = expected.iter().map(|(tool, _)| Call::new(tool, "{}")).collect();
    let played = client.play(&context.folder, reach, &calls).await.map_err(at)?;
    for ((tool, text), answer) in CALLS.iter().zip(&played.calls) {
        match (text, answer.text()) {
            (Some(text), Ok(said)) if said.contains(text) => {}
            (None, Err(_)) => {}
            (_, said) => return Err(at(format!("{tool} answers {said:?}, expected {text:?}"))),
        }
    }
    if let Some(version) = &played.version
        && (version == "2026-07-28") != (client.era() == Era::Stateless)
    {
        return Err(at(format!("the revision is {version}, expected {:?}", client.era())));
    }
    if let Reach::Command(_) = reach {
        let record = Record::read(&context.folder.record(record))?;
        if record.is_initialized() != (client.era() == Era::Initialize) {
            return Err(format!("the client is in another era than {:?}", client.era()));
        }
    }
    Ok(played)
}

/// Checks that the kernel shows what the server shows.
fn alike(through: &HostResults, direct: &HostResults) -> Result<(), String> {
    if through.version != direct.version {
        return Err(format!(
            "the revision is {:?} through the kernel, {:?} directly",
            through.version, direct.version
        ));
    }
    same("the tools", Some(&without_tasks(&through.tools)), Some(&without_tasks(&direct.tools)))?;
    let resources = through.resources.as_ref().map(without_manifest);
    same("the resources", resources.as_ref(), direct.resources.as_ref())?;
    same("the prompts", through.prompts.as_ref(), direct.prompts.as_ref())?;
    for ((tool, _), (ours, theirs)) in CALLS.iter().zip(through.calls.iter().zip(&direct.calls)) {
        same(tool, Some(&Answer(ours.0.clone().without_trace())), Some(theirs))?;
    }
    Ok(())
}

/// Returns a list of tools without the mark for those that run as tasks: only 2025-11-25 has this mark in the list, and the kernel
/// uses a later revision with the server.
fn without_tasks(tools: &Answer) -> Answer {
    let Answer(Normal::Object(mut members)) = tools.clone() else { return tools.clone() };
    if let Some(Normal::List(tools)) = members.get_mut("tools") {
        *tools = tools.drain(..).map(|tool| tool.without("execution")).collect();
    }
    Answer(Normal::Object(members))
}

/// Returns a list of resources without the one that the kernel adds.
fn without_manifest(resources: &Answer) -> Answer {
    let Answer(Normal::Object(mut members)) = resources.clone() else { return resources.clone() };
    if let Some(Normal::List(resources)) = members.get_mut("resources") {
        resources.retain(|resource| !is_manifest(resource));
    }
    Answer(Normal::Object(members))
}

fn same(what: &str, ours: Option<&Answer>, theirs: Option<&Answer>) -> Result<(), String> {
    match (ours, theirs) {
        (None, None) => Ok(()),
        (Some(ours), Some(theirs)) => match difference(&ours.plain(), &theirs.plain()) {
            None => Ok(()),
            Some(difference) => Err(format!("{what}: different through the kernel {difference}")),
        },
        (ours, theirs) => Err(format!("{what}: {ours:?} through the kernel, {theirs:?} directly")),
    }
}
