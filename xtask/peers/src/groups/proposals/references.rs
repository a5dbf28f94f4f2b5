//! The proposals' server of data behind references: our kernel fetches the data, and passes it to another call.

use crate::groups::request::{call, request};
use crate::{
    groups::ask::connect,
    install::{Package, PythonHome},
    peers::{Instance, Kernel, Upstream, free_port},
    rows::{Context, Row},
    tap::Command,
    workspace,
};
use serde_json::{Value, json};

/// The member of a result's `_meta` that holds the reference.
const REFERENCE: &str = "dev.cloto/reference";

fn demo() -> std::path::PathBuf {
    workspace::proposals("python/data_reference_demo.py")
}

pub(super) fn row() -> Row {
    crate::rows::row("proposals/references", &[Package::FastMcp], run).beside(demo())
}

async fn run(context: Context) -> Result<(), String> {
    let port = free_port().await?;
    let script = workspace::scripts().join("proposals_exports.py");
    let server = Command::new(PythonHome::Sdk2.program("python"))
        .args([script, demo()].map(|path| path.to_string_lossy().into_owned()))
        .env("PORT", port.to_string());
    let upstream = Upstream::new("exports", Instance::Child(server));
    let hosts = format!("[references]\nhosts = [\"localhost:{port}\"]\n");
    let kernel = Kernel::configure(&context, "full", &[], vec![upstream])?.with(&context, &hosts)?;
    let client = connect(&context, &Instance::Child(kernel.stdio(&context)), None).await?;
    let keep = json!({ "dev.cloto/call": { "keep_result": true } });
    let kept = call(&client, "export", &json!({}), &keep).await?;
    let reference = &kept["_meta"][REFERENCE];
    let (Some(name), Some(64)) =
        (reference["ref_id"].as_str(), reference["checksum"]["value"].as_str().map(str::len))
    else {
        return Err(format!("the data was not fetched and kept: {kept}"));
    };
    let refs = json!({ "dev.cloto/call": { "refs": { "/rows": name } } });
    let counted = call(&client, "count", &json!({}), &refs).await?;
    if !counted.to_string().contains("2 rows") {
        return Err(format!("the other tool got something else than the two tickets: {counted}"));
    }
    let part =
        request(&client, "resources/read", &json!({ "uri": format!("mgp://references/{name}") })).await?;
    if !part.to_string().contains("TICKET-1") {
        return Err(format!("the data is {part}"));
    }
    refused(&call(&client, "export_expired", &json!({}), &keep).await?)
}

/// Checks that data behind an expired reference is not kept, and that the reason is reported.
fn refused(answer: &Value) -> Result<(), String> {
    let reason = answer["_meta"][REFERENCE]["not_kept"].as_str().unwrap_or_default();
    if reason.contains("403") { Ok(()) } else { Err(format!("the expired reference answers {answer}")) }
}
