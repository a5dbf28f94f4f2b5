//! §16 The host searches for a tool by its purpose, and finds only tools that its agent may use.

use super::Step;
use crate::demo::{
    calls::{call_tool, request},
    findings::{Findings, Interruption},
    stage::{AGENT, Stage},
    trail::ExpectedEvent,
};
use async_trait::async_trait;
use mgp_types::tool_index::{DiscoverTools, DiscoverToolsParams};
use serde_json::json;

pub(super) struct Discover;

/// The purpose that the host searches for.
const INTENT: &str = "which of my files mention the word budget?";
/// A purpose of tools that the host's agent may not use.
const FORBIDDEN: &str = "show what a shell command would run, or add a note";

#[async_trait(?Send)]
impl Step for Discover {
    fn name(&self) -> &'static str {
        "discover"
    }

    fn title(&self) -> &'static str {
        "a tool is found by a sentence, and what the agent may not use is not found"
    }

    fn shown(&self) -> &'static [&'static str] {
        &["mention the word budget", r#""relevance_score""#, "40 loaves"]
    }

    async fn play(&self, stage: &mut Stage, findings: &mut Findings) -> Result<(), Interruption> {
        let host = stage.host()?;
        let search =
            |query: &str| DiscoverToolsParams { query: query.to_owned(), ..DiscoverToolsParams::default() };
        let found = request::<DiscoverTools>(host, &search(INTENT)).await?;
        let best = found.tools.first().map(|tool| (tool.server_id.as_str(), tool.name.as_str()));
        findings.equal("the best tool", best, Some(("files", "search_files")));
        findings.equal("the number of tools that the agent may use", found.total_available, 4);
        let hidden = request::<DiscoverTools>(host, &search(FORBIDDEN)).await?;
        let revealed: Vec<_> = hidden.tools.iter().filter(|tool| tool.server_id != "files").collect();
        findings.check(revealed.is_empty(), format_args!("no forbidden tool is found, but {revealed:?} was"));
        let Some(best) = found.tools.first() else { return Ok(()) };
        let answer = call_tool(host, &best.name, &json!({"text": "budget"})).await?;
        findings.equal(
            "the file that was found",
            answer.json()["lines"][0]["path"].as_str(),
            Some("plan.txt"),
        );
        findings.audited(ExpectedEvent::executed(AGENT, "files", "search_files"));
        Ok(())
    }
}
