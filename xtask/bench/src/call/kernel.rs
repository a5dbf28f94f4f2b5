//! The kernel with its whole pipeline between client and server.

use super::ours::{Ours, duplex};
use crate::adder::server;
use mgp_client_sdk::{
    Era, EraChoice,
    kernel::{Endpoint, InProcess, Kernel, KernelBuilder, ServerSpec},
};
use mgp_security::{
    audit::{AuditLog, AuditLogConfig, NullSink},
    limits::{LimitRule, LimitedParty},
};
use mgp_transport::connection::Config;
use mgp_types::{access::DefaultPolicy, context::Principal};
use std::{num::NonZeroU32, time::Duration};

/// The sink of the kernel's events.
#[derive(Debug, Clone, Copy)]
pub(super) enum Audit {
    /// No sink.
    Null,
    /// An SQLite file, to which each event is written before its reply is sent.
    Sqlite,
}

/// The number of tools that are counted each by itself.
const COUNTED: usize = 10;

const AGENT: &str = "agent.bench";

/// Connects a client behind the kernel, which talks to the server in this era. Every gate is in the way; none has a reason to refuse.
pub(super) async fn connect(audit: Audit, era: Era) -> Result<Ours, String> {
    connect_with(audit, era, |builder| builder).await
}

/// Connects a client behind a kernel without an audit trail that counts its calls.
pub(super) async fn connect_counting(era: Era) -> Result<Ours, String> {
    connect_with(Audit::Null, era, |builder| builder.metrics(COUNTED)).await
}

/// Connects a client behind a kernel without an audit trail that holds an agent and a tool to limits that are never reached.
pub(super) async fn connect_limited(era: Era) -> Result<Ours, String> {
    let most = NonZeroU32::MAX;
    let tool = LimitedParty::Tool { server: "*".into(), tool: "*".into() };
    let rules = [LimitedParty::Agent("*".into()), tool].map(|party| LimitRule::new(party).per_minute(most));
    connect_with(Audit::Null, era, |builder| rules.into_iter().fold(builder, KernelBuilder::limit)).await
}

async fn connect_with(
    audit: Audit,
    era: Era,
    set: impl FnOnce(KernelBuilder) -> KernelBuilder,
) -> Result<Ours, String> {
    let stack = server()?;
    let endpoint = Endpoint::InProcess(InProcess::new(move || {
        let (near, far) = duplex();
        tokio::spawn(stack.connection().over(far.0, far.1).closed());
        near
    }));
    let mut spec = ServerSpec::new("adder", endpoint);
    spec.default_policy = DefaultPolicy::OptOut;
    spec.era = EraChoice::Known(era);
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let builder = set(Kernel::builder().server(spec).agent(AGENT));
    let builder = match audit {
        Audit::Null => builder.audit_sink(NullSink),
        Audit::Sqlite => {
            let log = AuditLog::open(folder.path().join("audit.sqlite3"), &AuditLogConfig::default());
            builder.audit_log(log.map_err(|error| error.to_string())?)
        }
    };
    let kernel = builder.start().await.map_err(|error| error.to_string())?;
    let down = kernel.ready(Duration::from_secs(10)).await;
    if !down.is_empty() {
        return Err(format!("servers that did not connect: {down:?}"));
    }
    let (here, there) = duplex();
    let host = kernel.face().serve(Principal::agent(AGENT), Config::default(), there.0, there.1);
    Ours::greet(here, (host, kernel, folder)).await
}
