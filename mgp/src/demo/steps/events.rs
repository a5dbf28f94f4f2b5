//! §13.2 The host receives events of calls as they are made.

use super::Step;
use crate::demo::{
    calls::call_tool,
    findings::{Findings, Interruption},
    stage::{AGENT, Stage},
    trail::ExpectedEvent,
    within::within,
};
use async_trait::async_trait;
use mgp_client_sdk::client::EventItem;
use serde_json::json;

pub(super) struct Events;

#[async_trait(?Send)]
impl Step for Events {
    fn name(&self) -> &'static str {
        "events"
    }

    fn title(&self) -> &'static str {
        "the host subscribes to a channel of the gateway, and receives an event for its next call"
    }

    fn shown(&self) -> &'static [&'static str] {
        &[r#""method":"mgp/events/subscribe""#, r#""method":"notifications/mgp.event""#]
    }

    async fn play(&self, stage: &mut Stage, findings: &mut Findings) -> Result<(), Interruption> {
        let host = stage.host()?;
        let mut events = within("the subscription", host.events(["tool.called"])).await??;
        call_tool(host, "read_file", &json!({"path": "plan.txt"})).await?;
        findings.audited(ExpectedEvent::executed(AGENT, "files", "read_file"));
        let EventItem::Event(event) = within("an event", events.next()).await?? else {
            return Err(Interruption::new("events were lost"));
        };
        findings.equal("the channel", event.channel.as_str(), "tool.called");
        findings.equal("the server", event.server_id.as_deref(), Some("files"));
        let data = event.data.as_ref().map(ToString::to_string).unwrap_or_default();
        findings.check(data.contains("read_file"), format_args!("the event names the tool: {data}"));
        Ok(())
    }
}
