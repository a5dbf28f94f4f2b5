//! An agent that calls too often receives the time of its next possible call.

use super::Step;
use crate::demo::{
    calls::call_tool,
    findings::{Findings, Interruption},
    stage::{AGENT, LISTINGS_A_MINUTE, Stage},
    trail::ExpectedEvent,
};
use async_trait::async_trait;
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    error::Recovery,
};
use serde_json::json;
use std::time::{Duration, Instant};

pub(super) struct Limit;

/// The tolerance for the advised pause.
const TOLERANCE: Duration = Duration::from_millis(50);

#[async_trait(?Send)]
impl Step for Limit {
    fn name(&self) -> &'static str {
        "limit"
    }

    fn title(&self) -> &'static str {
        "two listings a minute are allowed: the third is refused (3000), with the time of the next possible one"
    }

    fn shown(&self) -> &'static [&'static str] {
        &[r#""name":"list_files""#, r#""retry_after_ms""#]
    }

    async fn play(&self, stage: &mut Stage, findings: &mut Findings) -> Result<(), Interruption> {
        let host = stage.host()?;
        let begun = Instant::now();
        for number in 1..=LISTINGS_A_MINUTE.get() {
            let listed = call_tool(host, "list_files", &json!({})).await?;
            findings.check(listed.succeeded(), format_args!("listing {number} is answered: {listed:?}"));
            findings.audited(ExpectedEvent::executed(AGENT, "files", "list_files"));
        }
        let refused = call_tool(host, "list_files", &json!({})).await?;
        let took = begun.elapsed();
        findings.equal("the code of one more", refused.code(), Some(3000));
        let advice = refused.refusal().and_then(Recovery::from_error);
        let pause = advice.and_then(|advice| advice.retry_after_ms).map(Duration::from_millis);
        // The advised pause is counted from the first call, so it is shorter by the time that the calls took.
        let whole = Duration::from_secs(60) / LISTINGS_A_MINUTE.get();
        findings.check(
            pause.is_some_and(|pause| pause <= whole && pause + took + TOLERANCE >= whole),
            format_args!("the advised pause is {whole:?} less at most {took:?}: {pause:?}"),
        );
        let blocked = ExpectedEvent::new(AuditEventType::ToolBlocked, AGENT, "files").tool("list_files");
        findings.audited(blocked.result(AuditResult::Blocked).detail("attempts", "0"));
        Ok(())
    }
}
