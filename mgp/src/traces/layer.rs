//! Collects the kernel's spans from `tracing`.

use super::open_span::OpenSpan;
use mgp_kernel::SPANS;
use opentelemetry_sdk::trace::{BatchSpanProcessor, SpanProcessor};
use std::{sync::OnceLock, time::Duration};
use tracing::{
    Metadata, Subscriber,
    level_filters::LevelFilter,
    span::{Attributes, Id, Record},
    subscriber::Interest,
};
use tracing_subscriber::{
    Layer,
    layer::{Context, Filter},
    registry::LookupSpan,
};

/// The queue of ended spans; not set while no spans are sent.
static QUEUE: OnceLock<BatchSpanProcessor> = OnceLock::new();

/// The layer that queues the kernel's spans once they have ended.
#[derive(Debug)]
struct SpanLayer;

/// The filter for the kernel's spans. While there is no queue, nothing passes.
#[derive(Debug)]
struct KernelSpans;

/// Returns the layer that collects the kernel's spans.
pub(crate) fn layer<S: Subscriber + for<'a> LookupSpan<'a>>() -> impl Layer<S> {
    SpanLayer.with_filter(KernelSpans)
}

/// Sets the queue of ended spans. Only the first call has an effect.
pub(super) fn send_to(queue: BatchSpanProcessor) {
    let _ = QUEUE.set(queue);
    tracing::callsite::rebuild_interest_cache();
}

/// Sends the queued spans, and waits within a time limit.
pub(super) fn finish(limit: Duration) {
    if let Some(queue) = QUEUE.get()
        && let Err(error) = queue.shutdown_with_timeout(limit)
    {
        tracing::warn!(%error, "the last spans were not sent");
    }
}

impl KernelSpans {
    fn takes(metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && metadata.target() == SPANS && QUEUE.get().is_some()
    }
}

impl<S> Filter<S> for KernelSpans {
    fn enabled(&self, metadata: &Metadata<'_>, _: &Context<'_, S>) -> bool {
        Self::takes(metadata)
    }

    fn callsite_enabled(&self, metadata: &'static Metadata<'static>) -> Interest {
        if Self::takes(metadata) { Interest::always() } else { Interest::never() }
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(if QUEUE.get().is_some() { LevelFilter::DEBUG } else { LevelFilter::OFF })
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for SpanLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id) {
            let mut open = OpenSpan::now(attributes.metadata().name());
            attributes.record(&mut open);
            span.extensions_mut().insert(open);
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(open) = span.extensions_mut().get_mut::<OpenSpan>()
        {
            values.record(open);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let open = context.span(&id).and_then(|span| span.extensions_mut().remove::<OpenSpan>());
        if let Some((queue, data)) = QUEUE.get().zip(open.and_then(OpenSpan::end)) {
            queue.on_end(data);
        }
    }
}
