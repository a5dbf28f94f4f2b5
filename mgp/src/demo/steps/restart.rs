//! §11.5 A server is killed during other calls, and restarts with its data.

use super::Step;
use crate::demo::{
    calls::{Answer, StreamPart, call_tool, next, start_stream},
    findings::{Findings, Interruption},
    stage::{AGENT, Stage},
    trail::ExpectedEvent,
    within::within,
};
use async_trait::async_trait;
use mgp_client_sdk::client::Client;
use mgp_transport::seam::PendingCall;
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    lifecycle::ServerState,
};
use serde_json::json;

pub(super) struct Restart;

#[async_trait(?Send)]
impl Step for Restart {
    fn name(&self) -> &'static str {
        "restart"
    }

    fn title(&self) -> &'static str {
        "the notes' process is killed and started again, while calls to other servers go on"
    }

    fn shown(&self) -> &'static [&'static str] {
        &[r#""process_id""#, r#""name":"read_file""#, r#""title":"Salt""#]
    }

    async fn play(&self, stage: &mut Stage, findings: &mut Findings) -> Result<(), Interruption> {
        let host = stage.host()?;
        let mut state = stage.server("notes")?.watch_status();
        let before = process_id(&call_tool(host, "notes_status", &json!({})).await?)?;
        findings.audited(ExpectedEvent::executed(AGENT, "notes", "notes_status"));

        // A call to another server is in progress when the server dies.
        let wanted = json!({"topic": "water", "paragraphs": 30, "pause_ms": 20});
        let mut report = start_stream(host, "write_report", &wanted).await?;
        let begun = matches!(next(&mut report).await?, StreamPart::Chunk { .. });
        findings.check(begun, "the report was under way");
        kill(before).await?;
        let noticed = state.wait_for(|status| status.state != ServerState::Connected);
        drop(within("the kernel to notice", noticed).await??);

        // Makes calls to other servers throughout the restart; the first one begins while the server is down.
        let mut down = 0;
        loop {
            let up = state.borrow_and_update().state == ServerState::Connected;
            let text = call_tool(host, "read_file", &json!({"path": "list.txt"})).await?;
            findings.equal("a file, meanwhile", text.text(), "flour\nwater\nsalt\n");
            findings.audited(ExpectedEvent::executed(AGENT, "files", "read_file"));
            if up {
                break;
            }
            down += 1;
            within("the server to be started again", state.changed()).await??;
        }
        findings.check(down > 0, "calls went on while the notes were down");
        findings.check(rest(&mut report).await?, "the report went on to its end");
        findings.audited(ExpectedEvent::executed(AGENT, "jobs", "write_report").anytime());
        findings.check(still_there(host).await?, "the notes are still there");
        findings.audited(ExpectedEvent::executed(AGENT, "notes", "list_notes"));
        let after = process_id(&call_tool(host, "notes_status", &json!({})).await?)?;
        findings.check(before != after, "another process answers");
        findings.audited(ExpectedEvent::executed(AGENT, "notes", "notes_status"));
        let lost = ExpectedEvent::by_kernel(AuditEventType::ServerDisconnected, "notes");
        findings.audited(lost.result(AuditResult::Failure));
        findings.audited(ExpectedEvent::by_kernel(AuditEventType::ServerConnected, "notes"));
        Ok(())
    }
}

/// Returns the process id of the notes server, as the server states it.
pub(super) fn process_id(status: &Answer) -> Result<u32, Interruption> {
    let id = status.json()["process_id"].as_u64().and_then(|id| u32::try_from(id).ok());
    // Processes 0 and 1 must not be killed.
    let id = id.filter(|id| *id > 1 && *id != std::process::id());
    id.ok_or_else(|| Interruption::new(format!("the notes did not name their process: {status:?}")))
}

/// Returns `true` if the notes that were added before still exist.
async fn still_there(host: &Client) -> Result<bool, Interruption> {
    let notes = call_tool(host, "list_notes", &json!({})).await?.json();
    let titles = [&notes["notes"][0]["title"], &notes["notes"][1]["title"]];
    Ok(titles == [&json!("Salt"), &json!("Bread")])
}

/// Reads a streamed call to its end, and returns whether the call succeeded.
async fn rest(call: &mut PendingCall) -> Result<bool, Interruption> {
    loop {
        if let StreamPart::Answer(answer) = next(call).await? {
            let result = answer.decode()?;
            return Ok(Answer::Result(result).succeeded());
        }
    }
}

/// Kills a process with SIGKILL.
pub(super) async fn kill(process_id: u32) -> Result<(), Interruption> {
    let command = move || {
        if cfg!(windows) {
            std::process::Command::new("taskkill").args(["/F", "/PID", &process_id.to_string()]).output()
        } else {
            std::process::Command::new("sh").args(["-c", "kill -9 \"$0\"", &process_id.to_string()]).output()
        }
    };
    let output = tokio::task::spawn_blocking(command).await??;
    if output.status.success() {
        return Ok(());
    }
    let why = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(Interruption::new(format!("failed to kill the process {process_id}: {why}")))
}
