//! A tool that reports the progress of its work.

use mgp_server_sdk::{
    Error, Progress, Server, Tool, ToolError,
    extract::Args,
    schemars::{self, JsonSchema},
};
use serde::Deserialize;
use std::time::Duration;

#[derive(Deserialize, JsonSchema)]
struct Bake {
    /// The number of loaves.
    #[schemars(range(min = 1, max = 20))]
    loaves: u32,
}

async fn bake(Args(Bake { loaves }): Args<Bake>, mut progress: Progress) -> Result<String, ToolError> {
    for loaf in 1..=loaves {
        tokio::time::sleep(Duration::from_millis(20)).await;
        progress.report(loaf.into(), Some(loaves.into()), Some("baking")).await?;
    }
    Ok(format!("{loaves} loaves are ready"))
}

pub(crate) fn server() -> Server {
    Server::new("bakery", "1.0.0").tool(Tool::new("bake", "Bakes bread", bake))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    server().serve_stdio().await
}
