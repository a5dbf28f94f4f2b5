//! Results have a status and an error type that a program can act on.

use super::Step;
use crate::demo::{
    calls::call_tool,
    findings::{Findings, Interruption},
    stage::{AGENT, Stage},
    trail::ExpectedEvent,
};
use async_trait::async_trait;
use mgp_client_sdk::client::Client;
use mgp_types::{
    audit::AuditResult,
    tool_result::{ErrorType, Outcome, ResultStatus},
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

pub(super) struct TypedResult;

/// The result of a search, as the host's program parses it.
#[derive(Deserialize)]
struct MatchingLines {
    lines: Vec<MatchingLine>,
}

#[derive(Deserialize)]
struct MatchingLine {
    path: String,
    line: u32,
}

#[async_trait(?Send)]
impl Step for TypedResult {
    fn name(&self) -> &'static str {
        "result"
    }

    fn title(&self) -> &'static str {
        "results have types: what was found, that nothing had to change, and why a call failed"
    }

    fn shown(&self) -> &'static [&'static str] {
        &[r#""lines":[{"#, r#""status":"no_change_needed""#, r#""error_type":"FileNotFoundError""#]
    }

    async fn play(&self, stage: &mut Stage, findings: &mut Findings) -> Result<(), Interruption> {
        let host = stage.host()?;
        let found: Outcome<MatchingLines> = outcome(host, "search_files", &json!({"text": "budget"})).await?;
        findings.equal("the status of a search", found.status(), ResultStatus::Success);
        let lines = found.into_data()?.lines;
        let places: Vec<_> = lines.iter().map(|found| (found.path.as_str(), found.line)).collect();
        findings.equal("the lines that were found", places, vec![("plan.txt", 2)]);
        findings.audited(ExpectedEvent::executed(AGENT, "files", "search_files"));

        let same = json!({"path": "list.txt", "text": "flour\nwater\nsalt\n"});
        let written: Outcome<String> = outcome(host, "write_file", &same).await?;
        findings.equal("the status of a second write", written.status(), ResultStatus::NoChangeNeeded);
        findings.audited(ExpectedEvent::executed(AGENT, "files", "write_file"));

        let missing: Outcome<String> = outcome(host, "read_file", &json!({"path": "recipe.txt"})).await?;
        findings.equal("the status of a failure", missing.status(), ResultStatus::Failure);
        let error_type = missing.error().map(|error| &error.error_type);
        findings.equal("the type of its error", error_type, Some(&ErrorType::FileNotFoundError));
        let failed = ExpectedEvent::executed(AGENT, "files", "read_file");
        findings.audited(failed.result(AuditResult::Failure));
        Ok(())
    }
}

/// Calls a tool and decodes its result.
async fn outcome<T: DeserializeOwned>(
    host: &Client,
    tool: &str,
    arguments: &Value,
) -> Result<Outcome<T>, Interruption> {
    Ok(call_tool(host, tool, arguments).await?.into_result()?.outcome()?)
}
