//! §2 A host and the kernel negotiate protocol and extensions.

use super::Step;
use crate::demo::{
    findings::{Findings, Interruption},
    stage::{SERVERS, Stage},
    trail::ExpectedEvent,
    wire::{answers, sent},
};
use async_trait::async_trait;
use mgp_types::{
    audit::AuditEventType,
    negotiation::{Extension, MGP_VERSION},
};

pub(super) struct Negotiate;

#[async_trait(?Send)]
impl Step for Negotiate {
    fn name(&self) -> &'static str {
        "negotiate"
    }

    fn title(&self) -> &'static str {
        "a host offers MGP inside MCP's own handshake, and the gateway takes it up"
    }

    fn shown(&self) -> &'static [&'static str] {
        &[r#""method":"initialize""#, r#""serverInfo""#, r#""method":"notifications/initialized""#]
    }

    async fn play(&self, stage: &mut Stage, findings: &mut Findings) -> Result<(), Interruption> {
        let host = stage.connect_host().await?;
        // Once this is answered, everything sent before is on the wire.
        host.ping().await?;
        let negotiated = host.negotiated().cloned();
        for extension in [
            Extension::Security,
            Extension::AccessControl,
            Extension::Audit,
            Extension::Lifecycle,
            Extension::Streaming,
            Extension::Discovery,
            Extension::ToolDiscovery,
        ] {
            let has = negotiated.as_ref().is_some_and(|negotiated| negotiated.has(extension));
            findings.check(has, format_args!("{extension} was negotiated"));
        }
        let lines = stage.lines();
        let offer = sent(&lines, "initialize").unwrap_or_default();
        findings.equal(
            "the offer's version",
            offer["params"]["capabilities"]["mgp"]["version"].as_str(),
            Some(MGP_VERSION),
        );
        let answered = answers(&lines, "initialize");
        findings.equal("the number of answers", answered.len(), 1);
        let version =
            answered.first().and_then(|answer| answer["result"]["capabilities"]["mgp"]["version"].as_str());
        findings.equal("the kernel's version", version, Some(MGP_VERSION));
        findings.check(sent(&lines, "notifications/initialized").is_some(), "the host said that it is ready");
        // These events were stored before any host connected.
        for server in SERVERS {
            findings.audited(ExpectedEvent::by_kernel(AuditEventType::ServerConnected, server));
        }
        // The server requests the permission that one of its tools needs.
        findings.audited(ExpectedEvent::needed("notes"));
        Ok(())
    }
}
