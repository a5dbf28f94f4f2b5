//! The headers of requests.

use super::{
    connect::connect,
    tools::{call_one, list},
};
use crate::task::Task;
use mgp_client_sdk::{RawJson, client::Client};
use serde::Deserialize;

/// Uses everything that the server lists.
pub(super) async fn standard(task: &Task) -> Result<(), String> {
    let client = connect(task).await?;
    for tool in list(&client).await? {
        call_one(&client, &tool.name, RawJson::empty_object()).await?;
    }
    let failed = |what: &str| {
        let what = what.to_owned();
        move |error| format!("failed to {what}: {error}")
    };
    for resource in client.list_resources().await.map_err(failed("list the resources"))? {
        client.read_resource(&resource.uri).await.map_err(failed(&format!("read {}", resource.uri)))?;
    }
    for prompt in client.list_prompts().await.map_err(failed("list the prompts"))? {
        client.get_prompt(&prompt.name, ()).await.map_err(failed(&format!("get {}", prompt.name)))?;
    }
    Ok(())
}

/// The calls that the scenario requires.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Calls {
    tool_calls: Vec<ToolCall>,
}

#[derive(Deserialize)]
struct ToolCall {
    name: String,
    arguments: RawJson,
}

/// Makes the calls that the scenario requires.
pub(super) async fn custom(task: &Task) -> Result<(), String> {
    let Calls { tool_calls } = task.context()?;
    let client = connect(task).await?;
    list(&client).await?;
    for ToolCall { name, arguments } in tool_calls {
        call_one(&client, &name, arguments).await?;
    }
    Ok(())
}

/// Calls every tool that the client lists, which leaves out tools with invalid annotations.
pub(super) async fn invalid(task: &Task) -> Result<(), String> {
    let client: Client = connect(task).await?;
    for tool in list(&client).await? {
        let arguments = RawJson::parse(r#"{"region":"us-west1"}"#).map_err(|error| error.to_string())?;
        call_one(&client, &tool.name, arguments).await?;
    }
    Ok(())
}
