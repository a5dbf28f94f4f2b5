//! Tools whose results name their source, that keep state between calls of a session, and whose calls a transaction can undo.

use mgp_server_sdk::{
    Error, Outcome, Provenance, Server, StreamContent, StreamSink, Tool, ToolError,
    extract::{Args, State},
    session_state::SessionState,
    tool_metadata::Compensation,
    tool_result::Confidence,
};
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{collections::BTreeMap, sync::Arc};

/// The open tickets by their numbers, and the number of the next one.
#[derive(Clone, Default)]
struct Tickets(Arc<Mutex<(BTreeMap<u32, String>, u32)>>);

#[derive(Deserialize, JsonSchema)]
struct Open {
    /// The title of the ticket.
    title: String,
}

#[derive(Serialize, JsonSchema)]
struct NewTicket {
    /// The number of the ticket.
    number: u32,
    /// The number of tickets that the session has opened.
    of_session: u32,
}

async fn open(
    State(tickets): State<Tickets>,
    Args(Open { title }): Args<Open>,
    session: SessionState,
) -> Result<Outcome<NewTicket>, ToolError> {
    let of_session = session.get::<u32>()?.unwrap_or(0) + 1;
    session.set(&of_session)?;
    let mut tickets = tickets.0.lock();
    tickets.1 += 1;
    let number = tickets.1;
    tickets.0.insert(number, title);
    let source = Provenance::new(format!("tickets/{number}")).confidence(Confidence::Exact);
    Ok(Outcome::success(NewTicket { number, of_session }).provenance(source))
}

#[derive(Deserialize, JsonSchema)]
struct Close {
    /// The number of the ticket.
    number: u32,
}

fn close(State(tickets): State<Tickets>, Args(Close { number }): Args<Close>) -> Result<String, ToolError> {
    match tickets.0.lock().0.remove(&number) {
        Some(title) => Ok(format!("closed {title:?}")),
        None => Err(ToolError::new(format!("ticket {number} is not open"))),
    }
}

async fn export(State(tickets): State<Tickets>, mut sink: StreamSink) -> Result<StreamContent, ToolError> {
    let lines: Vec<_> =
        tickets.0.lock().0.iter().map(|(number, title)| format!("{number},{title}\n")).collect();
    for line in lines {
        sink.send_text(line).await?;
    }
    Ok(sink.finish())
}

pub(crate) fn server() -> Server {
    // The call that undoes a call of `open`: its argument is in the result of that call.
    let undo = Compensation::new("close").arguments(json!({ "number": "$result/number" }));
    Server::new("tickets", "1.0.0")
        .state(Tickets::default())
        .tool(Tool::new("open", "Opens a ticket", open).compensation(undo))
        .tool(Tool::new("close", "Closes a ticket", close))
        .tool(Tool::new("export", "Exports the open tickets, line by line", export).read_only(true))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    server().serve_stdio().await
}
