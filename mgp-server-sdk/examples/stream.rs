//! A tool that sends its answer in parts. A host without MGP gets all of it at the end.

use mgp_server_sdk::{Error, Server, StreamContent, StreamSink, Tool, ToolError};

const POEM: [&str; 3] = ["Rain on the roof,\n", "a kettle, a book,\n", "and nowhere to go."];

async fn recite(mut sink: StreamSink) -> Result<StreamContent, ToolError> {
    for line in POEM {
        sink.send_text(line).await?;
    }
    Ok(sink.finish())
}

pub(crate) fn server() -> Server {
    Server::new("poet", "1.0.0").tool(Tool::new("recite", "Recites a poem, line by line", recite))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    server().serve_stdio().await
}
