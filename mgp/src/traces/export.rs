//! Starts and stops sending spans.

use super::{collector::Collector, layer};
use crate::{error::CliError, exit::Exit, setup::Setup};
use http::HeaderValue;
use mgp_transport::http::{
    fetch::{FetchLimits, Fetcher},
    zone::Zone,
};
use opentelemetry::KeyValue;
use opentelemetry_otlp::{RetryPolicy, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::{
    Resource,
    trace::{BatchConfigBuilder, BatchSpanProcessor, SpanProcessor},
};
use std::{sync::atomic::AtomicBool, time::Duration};
use tokio::runtime::Handle;

/// The time limit for sending the last spans at the end of the program.
const LAST_BATCH: Duration = Duration::from_secs(2);
/// The time limit for sending one batch.
const BATCH: Duration = Duration::from_secs(10);
/// The capacity of the queue, in spans. Further spans are lost.
const MAX_WAITING: usize = 4096;
/// The maximum number of spans per batch.
const MAX_BATCH: usize = 512;
/// The maximum time that a span waits in the queue for others.
const DELAY: Duration = Duration::from_secs(2);

/// The export of spans, from the start of a gateway to its end.
#[derive(Debug)]
pub(crate) struct TraceExport {
    is_started: bool,
}

impl TraceExport {
    /// Starts sending the kernel's spans to `telemetry.traces`, if the configuration has it.
    pub(crate) async fn start(setup: &Setup) -> Result<Self, CliError> {
        let Some((telemetry, url)) = setup.loaded.as_ref().and_then(|loaded| {
            let telemetry = &loaded.config.telemetry;
            Some((telemetry, telemetry.traces.as_ref()?))
        }) else {
            return Ok(Self { is_started: false });
        };
        let wrong = |key: &str, error: &dyn std::fmt::Display| {
            CliError::new(Exit::Configuration, format!("telemetry.{key}: {error}"))
        };
        let parsed = url.parse().map_err(|error| wrong("traces", &error))?;
        let limits = FetchLimits { time: BATCH, ..FetchLimits::default() };
        let fetcher = Fetcher::new(limits, Zone::Local).map_err(|error| wrong("traces", &error))?;
        fetcher.check(&parsed).map_err(|error| wrong("traces", &error))?;
        let authorization = match &telemetry.traces_authorization {
            None => None,
            Some(value) => Some(
                HeaderValue::from_str(&setup.value("telemetry.traces_authorization", value.text()).await?)
                    .map_err(|error| wrong("traces_authorization", &error))?,
            ),
        };
        let collector = Collector {
            url: parsed,
            authorization,
            fetcher,
            runtime: Handle::current(),
            is_failing: AtomicBool::new(false),
        };
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(collector)
            .with_endpoint(url.as_str())
            .with_timeout(BATCH)
            // A batch that the collector rejects does not delay the next one.
            .with_retry_policy(RetryPolicy::disabled())
            .build()
            .map_err(|error| wrong("traces", &error))?;
        let batches = BatchConfigBuilder::default()
            .with_max_queue_size(MAX_WAITING)
            .with_max_export_batch_size(MAX_BATCH)
            .with_scheduled_delay(DELAY)
            .build();
        let mut processor = BatchSpanProcessor::builder(exporter).with_batch_config(batches).build();
        let resource = Resource::builder()
            .with_service_name("mgp")
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
            .with_attribute(KeyValue::new("process.pid", i64::from(std::process::id())))
            .build();
        processor.set_resource(&resource);
        layer::send_to(processor);
        Ok(Self { is_started: true })
    }

    /// Sends the last spans, within a time limit.
    pub(crate) async fn finish(self) {
        if self.is_started {
            // The call blocks until the thread that sends batches is done.
            let _ = tokio::task::spawn_blocking(|| layer::finish(LAST_BATCH)).await;
        }
    }
}
