//! The document of the tools of several real servers, checked by the validator of another project.

use super::document::DescribedGateway;
use crate::{
    install::{Package, PythonHome},
    peers::{Instance, Kernel, Scene, Upstream, output, server},
    rows::{Context, Row},
    tap::Command,
};
use std::time::Duration;

/// Servers of other projects whose schemas differ much: by two SDKs, by hand, with definitions, unions and formats.
const SERVERS: [&str; 6] = ["everything", "filesystem", "memory", "notion", "git", "fastmcp"];
/// The time limit for all servers on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(600);

pub(super) fn row() -> Row {
    let mut needs: Vec<Package> = SERVERS.iter().filter_map(|id| Some(server(id).ok()?.package)).collect();
    needs.push(Package::OpenapiValidator);
    Row { timeout: TIMEOUT, ..crate::rows::row("rest/validator", &needs, run) }
}

async fn run(context: Context) -> Result<(), String> {
    let scene = Scene::prepare(&context.folder).await?;
    let ours = Command::new(&context.programs.everything);
    let mut upstreams = vec![Upstream::new("ours", Instance::Child(ours))];
    for id in SERVERS {
        upstreams.push(Upstream::of(server(id)?, &context, &scene).await?);
    }
    let kernel = Kernel::configure(&context, "full", &[], upstreams)?.rest(&context)?;
    let described = DescribedGateway::start(&context, &kernel).await?;
    let expected: usize = SERVERS.iter().filter_map(|id| Some(server(id).ok()?.tools)).sum();
    let paths = described.text.matches("\"/tools/").count();
    let checked = check(&context, &described).await;
    described.gateway.stop().await?;
    kernel.stop_upstreams().await?;
    checked?;
    if paths <= expected {
        return Err(format!("{paths} tools are described, expected more than {expected}"));
    }
    Ok(())
}

/// Has the validator read the document, and a document with a fault, which it must find.
async fn check(context: &Context, described: &DescribedGateway) -> Result<(), String> {
    let fault = described.text.replacen("\"operationId\":", "\"operationID\":", 1).replacen(
        "\"responses\":",
        "\"responds\":",
        1,
    );
    let faulty = context.folder.write("faulty.json", &fault)?;
    validate(context, "faulty", &faulty)
        .await
        .err()
        .ok_or("the validator finds no fault in a faulty document")?;
    validate(context, "valid", &described.file).await
}

async fn validate(context: &Context, name: &str, file: &std::path::Path) -> Result<(), String> {
    let mut command = tokio::process::Command::new(PythonHome::Openapi.program("python"));
    command.args(["-m", "openapi_spec_validator", "--schema", "3.1"]).arg(file);
    output(command, &context.folder, &format!("validator-{name}")).await.map(drop)
}
