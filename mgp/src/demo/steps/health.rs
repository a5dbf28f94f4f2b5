//! §11.3 The kernel and its servers report their health.

use super::Step;
use crate::demo::{
    calls::request,
    findings::{Findings, Interruption},
    stage::{SERVERS, Stage},
    within::within,
};
use async_trait::async_trait;
use mgp_client_sdk::client::Client;
use mgp_types::{
    discovery::{ListServers, ListServersParams},
    lifecycle::{CheckHealth, HealthPing, HealthPingParams, HealthStatus, ServerState},
    rpc::Empty,
};

pub(super) struct Health;

#[async_trait(?Send)]
impl Step for Health {
    fn name(&self) -> &'static str {
        "health"
    }

    fn title(&self) -> &'static str {
        "the gateway and the servers behind it report their health"
    }

    fn shown(&self) -> &'static [&'static str] {
        &[r#""method":"mgp/health/ping""#, r#""server_id":"mgp.kernel""#, r#""tools_available""#]
    }

    async fn play(&self, stage: &mut Stage, findings: &mut Findings) -> Result<(), Interruption> {
        let host = stage.host()?;
        look_at(host, "mgp.kernel", findings).await?;
        let listed = request::<ListServers>(host, &ListServersParams::default()).await?;
        let up = listed.servers.iter().filter(|server| server.status == ServerState::Connected);
        findings.equal(
            "the servers that are connected",
            up.map(|server| server.id.as_str()).collect::<Vec<_>>(),
            SERVERS.to_vec(),
        );
        // Servers answer the same requests directly.
        let (input, output) = stage.wire.tap(stage.jobs.in_process());
        let client = Client::builder("demo-probe", env!("CARGO_PKG_VERSION")).connect(input, output);
        let jobs = within("the handshake with a server", client).await??;
        look_at(&jobs, "jobs", findings).await
    }
}

/// Sends both requests.
async fn look_at(client: &Client, id: &str, findings: &mut Findings) -> Result<(), Interruption> {
    let params = HealthPingParams { timestamp: Some(jiff::Timestamp::now().to_string()) };
    let ping = request::<HealthPing>(client, &params).await?;
    findings.equal("who answers", ping.server_id.as_deref(), Some(id));
    findings.equal("how it is", ping.status, HealthStatus::Healthy);
    let status = request::<CheckHealth>(client, &Empty::default()).await?;
    findings.equal("how it is, looked at closely", status.status, HealthStatus::Healthy);
    findings.check(status.tools_total > Some(0), format_args!("{id} has tools"));
    findings.equal("the tools that can be called", status.tools_available, status.tools_total);
    Ok(())
}
