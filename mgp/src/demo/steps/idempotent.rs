//! A call with an idempotency key is made once, however often it is sent.

use super::Step;
use crate::demo::{
    calls::{Answer, call_tool, call_tool_with},
    findings::{Findings, Interruption},
    stage::{AGENT, Stage},
    trail::ExpectedEvent,
};
use async_trait::async_trait;
use mgp_client_sdk::client::{CallOptions, Client};
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    idempotency::{IDEMPOTENCY_CONFLICT, IdempotencyKey},
    json::RawObject,
};
use serde_json::{Value, json};

pub(super) struct Idempotency;

/// The key of the call.
const KEY: &str = "yeast-2026-11-20";

#[async_trait(?Send)]
impl Step for Idempotency {
    fn name(&self) -> &'static str {
        "idempotent"
    }

    fn title(&self) -> &'static str {
        "a call is sent twice with one key and runs once; the key with other arguments is refused (4000)"
    }

    fn shown(&self) -> &'static [&'static str] {
        &[r#""idempotency_key":"yeast"#, r#""was_replay":true"#, r#""code":4000"#]
    }

    async fn play(&self, stage: &mut Stage, findings: &mut Findings) -> Result<(), Interruption> {
        let host = stage.host()?;
        let before = notes(host, findings).await?;
        let note = json!({"title": "Yeast", "text": "two cubes"});
        let first = add(host, &note).await?.into_result()?;
        let again = add(host, &note).await?.into_result()?;
        let replays = [&first, &again].map(|answer| answer.replay_note().map(|note| note.was_replay));
        findings.equal("whether each answer is that of an earlier call", replays, [Some(false), Some(true)]);
        findings.equal("the second answer", again.structured_content, first.structured_content);
        for was_replay in ["false", "true"] {
            let done = ExpectedEvent::executed(AGENT, "notes", "add_note");
            findings.audited(done.detail("was_replay", was_replay));
        }

        let other = add(host, &json!({"title": "Yeast", "text": "three cubes"})).await?;
        findings.equal("the code for other arguments", other.code(), Some(4000));
        let data = other.refusal().and_then(|error| RawObject::from_json(error.data.as_ref()?).ok());
        let conflict = data.and_then(|data| data.text("code"));
        findings.equal("the name of the error", conflict.as_deref(), Some(IDEMPOTENCY_CONFLICT));
        let blocked = ExpectedEvent::new(AuditEventType::ToolBlocked, AGENT, "notes").tool("add_note");
        findings.audited(blocked.result(AuditResult::Blocked).detail("attempts", "0"));
        let after = notes(host, findings).await?;
        findings.equal("the notes after three calls", after, before + 1);
        Ok(())
    }
}

/// Adds a note with the key.
async fn add(host: &Client, note: &Value) -> Result<Answer, Interruption> {
    let key = IdempotencyKey::new(KEY).ok_or_else(|| Interruption::new(format!("{KEY:?} is not a key")))?;
    call_tool_with(host, "add_note", note, CallOptions::new().idempotency_key(&key)).await
}

/// Returns the number of notes, as their server counts them.
async fn notes(host: &Client, findings: &mut Findings) -> Result<u64, Interruption> {
    let status = call_tool(host, "notes_status", &json!({})).await?;
    findings.audited(ExpectedEvent::executed(AGENT, "notes", "notes_status"));
    let count = status.json()["notes"].as_u64();
    count.ok_or_else(|| Interruption::new(format!("the notes are not counted: {status:?}")))
}
