//! The kernel with its whole pipeline between client and server.

use super::{
    events::open_log,
    ours::{End, Ours, duplex},
};
use crate::adder::server;
use mgp_kernel::{
    Endpoint, Era, EraChoice, InProcess, Kernel, KernelBuilder, ServerSpec, StateFolder, Stores,
    config::{CallerLimit, TargetLimit},
};
use mgp_security::audit::{JournalMode, NullSink};
use mgp_transport::connection::Config;
use mgp_types::{access::DefaultPolicy, context::Principal};
use std::{
    any::Any,
    num::{NonZeroU32, NonZeroU64},
    sync::Arc,
    time::Duration,
};

/// The sink of the kernel's events.
#[derive(Debug, Clone, Copy)]
pub(super) enum Audit {
    /// No sink.
    Null,
    /// An SQLite file, to which each event is written before its reply is sent.
    Sqlite,
    /// A journal, to which each event is appended before its reply is sent, and from which a thread moves it into an SQLite file.
    Journal,
}

/// The number of tools that are counted separately.
const COUNTED: usize = 10;

/// The agent of every call.
pub(super) const AGENT: &str = "agent.bench";

/// Connects a client behind the kernel, which uses this era with the server. Every gate is in the path; none has a reason to refuse.
pub(super) async fn connect(audit: Audit, era: Era) -> Result<Ours, String> {
    connect_with(audit, era, |builder| builder).await
}

/// Connects a client behind a kernel without an audit trail that counts its calls.
pub(super) async fn connect_counting(era: Era) -> Result<Ours, String> {
    connect_with(Audit::Null, era, |builder| {
        builder
            .program(|program| program.metrics = true)
            .config(|config| config.telemetry.metrics_tools = COUNTED)
    })
    .await
}

/// Connects a client behind a kernel without an audit trail that limits an agent and a tool, with limits that are never reached.
pub(super) async fn connect_limited(era: Era) -> Result<Ours, String> {
    let most = Some(NonZeroU32::MAX);
    let of_agent = CallerLimit { requests_per_minute: most, ..CallerLimit::default() };
    let of_tool = TargetLimit { requests_per_minute: most, ..TargetLimit::default() };
    connect_with(Audit::Null, era, |builder| {
        builder.config(|config| {
            config.limits.agents.insert("*".to_owned(), of_agent);
            config.limits.tools.insert("*__*".to_owned(), of_tool);
        })
    })
    .await
}

/// Connects a client behind a kernel without an audit trail whose optional features are enabled but unused by its calls: transactions
/// as a tool, and limits of another agent.
pub(super) async fn connect_unused(era: Era) -> Result<Ours, String> {
    let other = CallerLimit { requests_per_minute: Some(NonZeroU32::MIN), ..CallerLimit::default() };
    connect_with(Audit::Null, era, |builder| {
        builder.config(|config| {
            config.kernel.transactions = true;
            config.limits.agents.insert("agent.other".to_owned(), other);
        })
    })
    .await
}

/// Connects a client behind a kernel without an audit trail that keeps long results, which its calls do not have.
pub(super) async fn connect_keeping_long(era: Era) -> Result<Ours, String> {
    connect_with(Audit::Null, era, |builder| {
        builder.config(|config| config.results.max_tokens = Some(1_000_000))
    })
    .await
}

/// Connects a client behind a kernel without an audit trail that counts its calls against a quota in an SQLite file.
pub(super) async fn connect_with_quota(era: Era) -> Result<Ours, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let state = StateFolder::open(folder.path()).map_err(|error| error.to_string())?;
    let stores = state.stores().await.map_err(|error| error.to_string())?;
    let quota = CallerLimit { units_per_day: Some(NonZeroU64::MAX), ..CallerLimit::default() };
    let ours = connect_with(Audit::Null, era, |builder| {
        builder
            .config(|config| {
                config.limits.agents.insert("*".to_owned(), quota);
            })
            .stores(stores)
    })
    .await?;
    Ok(ours.keeping(folder))
}

/// The store of idempotency keys.
#[derive(Debug, Clone, Copy)]
pub(super) enum Keys {
    /// A store in memory.
    Memory,
    /// An SQLite file, to which each key is written before its call is sent.
    Sqlite,
}

/// Connects a client behind a kernel without an audit trail that keeps any number of idempotency keys, and many results.
pub(super) async fn connect_keyed(keys: Keys, era: Era) -> Result<Ours, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let stores = match keys {
        Keys::Memory => Stores::default(),
        Keys::Sqlite => {
            let state = StateFolder::open(folder.path()).map_err(|error| error.to_string())?;
            let idempotency = Arc::new(state.idempotency().await.map_err(|error| error.to_string())?);
            Stores { idempotency, ..Stores::default() }
        }
    };
    let ours = connect_with(Audit::Null, era, |builder| {
        builder.stores(stores).config(|config| {
            (config.references.max_results, config.references.max_total_results) = (10_000, 10_000);
            let keys = &mut config.idempotency;
            (keys.max_keys, keys.max_answer_bytes, keys.max_bytes) = (usize::MAX, usize::MAX, usize::MAX);
        })
    });
    Ok(ours.await?.keeping(folder))
}

/// Connects a client behind a kernel without an audit trail. The client and the server use the same era.
pub(super) async fn connect_between(era: Era) -> Result<Ours, String> {
    let (here, kept) = start(Audit::Null, era, |builder| builder).await?;
    Ours::greet(here, era, kept).await
}

async fn connect_with(
    audit: Audit,
    era: Era,
    set: impl FnOnce(KernelBuilder) -> KernelBuilder,
) -> Result<Ours, String> {
    let (here, kept) = start(audit, era, set).await?;
    Ours::greet(here, Era::Initialize, kept).await
}

/// Starts a kernel that uses this era with the server. Returns the client's end of the connection, and the values that must live as long as
/// the client.
async fn start(
    audit: Audit,
    era: Era,
    set: impl FnOnce(KernelBuilder) -> KernelBuilder,
) -> Result<(End, impl Any + Send + Sync), String> {
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
    let builder = set(Kernel::builder().server(spec).config(|config| config.kernel.agent = AGENT.into()));
    let builder = match audit {
        Audit::Null => builder.audit_sink(NullSink),
        Audit::Sqlite | Audit::Journal => {
            let journal = match audit {
                Audit::Journal => JournalMode::Local,
                _ => JournalMode::Store,
            };
            builder.audit_sink(open_log(folder.path(), journal)?)
        }
    };
    let kernel = builder.start().await.map_err(|error| error.to_string())?;
    let down = kernel.ready(Duration::from_secs(60)).await;
    if !down.is_empty() {
        return Err(format!("servers that did not connect: {down:?}"));
    }
    let (here, there) = duplex();
    let host = kernel.face().serve(Principal::agent(AGENT), Config::default(), there.0, there.1);
    Ok((here, (host, kernel, folder)))
}
