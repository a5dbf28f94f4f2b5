//! A long result stays in the kernel and is passed to another tool there.

use super::Step;
use crate::demo::{
    calls::{call_tool, call_tool_with},
    findings::{Findings, Interruption},
    stage::{AGENT, Stage},
    trail::ExpectedEvent,
};
use async_trait::async_trait;
use mgp_client_sdk::client::CallOptions;
use mgp_types::reference::Checksum;
use serde_json::json;
use sha2::{Digest, Sha256};

pub(super) struct Reference;

/// The paragraphs of the report.
const PARAGRAPHS: usize = 200;

#[async_trait(?Send)]
impl Step for Reference {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn title(&self) -> &'static str {
        "a long report stays in the gateway and goes into a file from there; the host sees a reference"
    }

    fn shown(&self) -> &'static [&'static str] {
        &[r#""keep_result":true"#, r#""ref_id""#, r#""refs":{"/text""#]
    }

    async fn play(&self, stage: &mut Stage, findings: &mut Findings) -> Result<(), Interruption> {
        let host = stage.host()?;
        let wanted = json!({"topic": "bread", "paragraphs": PARAGRAPHS});
        let keep = CallOptions::new().keep_result();
        let kept = call_tool_with(host, "write_report", &wanted, keep).await?.into_result()?;
        findings.audited(ExpectedEvent::executed(AGENT, "jobs", "write_report"));
        let Some(reference) = kept.reference() else {
            return Err(Interruption::new(format!("the report was not kept: {kept:?}")));
        };
        let into = CallOptions::new().reference("/text", &reference.ref_id);
        let written = call_tool_with(host, "write_file", &json!({"path": "report.txt"}), into).await?;
        findings.check(written.succeeded(), format_args!("the report is written to a file: {written:?}"));
        findings.audited(ExpectedEvent::executed(AGENT, "files", "write_file"));
        let seen = stage.lines().iter().any(|line| line.text.contains("Paragraph 1 on bread"));
        findings.check(!seen, "the host has not seen the report");

        let file = call_tool(stage.host()?, "read_file", &json!({"path": "report.txt"})).await?;
        findings.audited(ExpectedEvent::executed(AGENT, "files", "read_file"));
        let report: String =
            (1..=PARAGRAPHS).map(|number| format!("Paragraph {number} on bread.\n")).collect();
        findings.equal("the length of what is kept", reference.size_bytes, Some(report.len() as u64));
        let hash = Checksum::sha256(&Sha256::digest(file.text()).into());
        findings.equal("the SHA-256 of the file", Some(hash), reference.checksum);
        findings.check(file.text() == report, "the file holds the report");
        Ok(())
    }
}
