//! A plain function as a tool, whose answer is structured: the tool's output schema comes from `Json<T>`.

use mgp_server_sdk::{
    Error, Json, Server, Tool, ToolError,
    extract::Args,
    schemars::{self, JsonSchema},
};
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Text {
    /// The text to count.
    text: String,
}

#[derive(Serialize, JsonSchema)]
struct Counts {
    /// The number of words.
    words: usize,
    /// The longest word.
    longest: String,
}

fn count(Args(Text { text }): Args<Text>) -> Result<Json<Counts>, ToolError> {
    let longest = text.split_whitespace().max_by_key(|word| word.len()).ok_or("the text has no words")?;
    Ok(Json(Counts { words: text.split_whitespace().count(), longest: longest.to_owned() }))
}

pub(crate) fn server() -> Server {
    Server::new("words", "1.0.0")
        .tool(Tool::new("count", "Counts the words of a text", count).read_only(true))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    server().serve_stdio().await
}
