//! The proposals' own form of a call, from a host through our kernel to the proposals' server: intents, session state, confirmations.

use super::server;
use crate::{
    groups::{ask::connect, request::request},
    install::Package,
    peers::{Call, HostClient, HostUser, Instance, Reach},
    rows::{Context, Row, row},
    tap::{Direction, Record},
};
use mgp_client_sdk::Era;
use serde_json::{Value, json};

/// The scope that the server requires for the call with a confirmation.
const SCOPE: &str = "delete:tickets";

pub(super) fn rows() -> Vec<Row> {
    let form = row("proposals/server-form", &[], form);
    let declared =
        row("proposals/server-confirmed", &[Package::PythonSdk1], |context| confirmed(context, ""));
    // If the operator's settings require no confirmation of such a call, the server asks.
    let answered = row("proposals/server-wants-confirmation", &[Package::PythonSdk1], |context| {
        confirmed(context, "[servers.mgp]\nconfirmation = \"never\"\n")
    });
    [form, declared, answered].map(|row| row.programs(&["python3"]).beside(server::script())).into()
}

/// An intent and a state in the proposals' form, and the state that the kernel keeps.
async fn form(context: Context) -> Result<(), String> {
    let kernel = server::kernel(&context, &[])?;
    // The other era has no session whose state the kernel could keep.
    let client = connect(&context, &Instance::Child(kernel.stdio(&context)), Some(Era::Initialize)).await?;
    client.list_tools().await.map_err(|error| format!("failed to list: {error}"))?;
    let search = |members: Value| {
        let mut params = json!({ "name": "search_tickets", "arguments": { "query": "bug" } });
        params
            .as_object_mut()
            .into_iter()
            .for_each(|all| all.extend(members.as_object().cloned().unwrap_or_default()));
        params
    };
    let intent = "Find the most recent incident from last Friday's deployment";
    for members in [json!({ "intent": intent }), json!({ "_meta": { "intent": intent } })] {
        let answer = request(&client, "tools/call", &search(members)).await?;
        if !answer["content"][0]["text"].as_str().unwrap_or_default().contains("get_recent_incidents") {
            return Err(format!("the server did not see the intent: {answer}"));
        }
    }
    let first = request(&client, "tools/call", &search(json!({}))).await?;
    request(&client, "tools/call", &search(json!({}))).await?;
    let own = request(&client, "tools/call", &search(json!({ "session_state": "no token" }))).await?;
    if !own.to_string().contains("Invalid session state token") {
        return Err(format!("the server did not get the state of its host: {own}"));
    }
    let calls = calls(&context)?;
    let brought: Vec<_> = calls.iter().map(|call| &call["session_state"]).collect();
    match brought[..] {
        // The first three were made before a call of the session requested the server's first state.
        [.., kept, host] if kept == &first["_meta"]["session_state"] && host == "no token" => Ok(()),
        _ => Err(format!("the server got the states {brought:?}, and had given {}", first["_meta"])),
    }
}

/// A host of the official SDK whose user confirms: the call runs once, and reports its confirmation.
async fn confirmed(context: Context, config: &'static str) -> Result<(), String> {
    let kernel = server::kernel(&context, &[SCOPE])?.with(&context, config)?;
    let call = [Call::new("delete_ticket", r#"{"ticket_id":"PROJ-1"}"#)];
    let reach = Reach::Command(kernel.stdio(&context));
    let played = HostClient::Python1.play_for(HostUser::Agrees, &context.folder, &reach, &call).await?;
    let text = played.calls.first().map_or(Err("no answer".to_owned()), crate::peers::Answer::text)?;
    if !text.contains("\"deleted\": true") && !text.contains("\"deleted\":true") {
        return Err(format!("the confirmed call answers {text:?}"));
    }
    let confirmed: Vec<_> =
        calls(&context)?.iter().map(|call| call["user_confirmed"] == json!(true)).collect();
    let expected: &[bool] = if config.is_empty() { &[true] } else { &[false, true] };
    if confirmed == expected {
        Ok(())
    } else {
        Err(format!("the calls say {confirmed:?} of their confirmation, expected {expected:?}"))
    }
}

/// Returns the params of the calls that the server received.
fn calls(context: &Context) -> Result<Vec<Value>, String> {
    let record = Record::read(&context.folder.record(server::RECORD))?;
    let messages = record.all(Direction::ToServer).into_iter().map(|line| serde_json::from_str(&line.text));
    let messages: Vec<Value> = messages.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    let calls = messages.into_iter().filter(|message| message["method"] == "tools/call");
    Ok(calls.map(|mut message| message["params"].take()).collect())
}
