//! A tool that asks the user of its host before it acts, in both eras of MCP.

use mgp_server_sdk::{
    Error, Server, Tool, ToolError,
    ask::Ask,
    schemars::{self, JsonSchema},
};
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Table {
    /// The number of guests.
    guests: u32,
    /// The name of the guest who books.
    name: String,
}

async fn book(ask: Ask) -> Result<String, ToolError> {
    let Some(Table { guests, name }) = ask.form("table", "Whom is the table for?").await? else {
        return Ok("nothing is booked".into());
    };
    // In the stateless era the function runs again from its start after each answer: ask first, then act.
    if !ask.confirm("sure", format!("A table for {guests}?")).await? {
        return Ok("nothing is booked".into());
    }
    Ok(format!("{name} has a table for {guests}"))
}

pub(crate) fn server() -> Server {
    Server::new("restaurant", "1.0.0").tool(Tool::new("book", "Books a table", book))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    server().serve_stdio().await
}
