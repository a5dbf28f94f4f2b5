//! A subscriber that takes the kernel's spans while it is enabled.

use mgp_kernel::SPANS;
use std::{
    io,
    sync::{
        Once,
        atomic::{AtomicBool, Ordering},
    },
};
use tracing::{Metadata, level_filters::LevelFilter, subscriber::Interest};
use tracing_subscriber::{
    Layer,
    fmt::{self, format::FmtSpan},
    layer::{Context, Filter, SubscriberExt},
    registry,
};

/// The switch of the subscriber. While it is off, spans cost what they cost in a program without a subscriber.
static ARE_TAKEN: AtomicBool = AtomicBool::new(false);

/// The filter that takes only the kernel's spans.
struct KernelSpans;

/// Switches the subscriber on or off. It writes each span with its fields, once the span has ended, into a sink.
pub(super) fn take(spans: bool) {
    static START: Once = Once::new();
    START.call_once(|| {
        let layer = fmt::layer().with_writer(io::sink).with_span_events(FmtSpan::CLOSE);
        // Only a test with its own subscriber could have set one before.
        let _ = tracing::subscriber::set_global_default(registry().with(layer.with_filter(KernelSpans)));
    });
    ARE_TAKEN.store(spans, Ordering::Release);
    tracing::callsite::rebuild_interest_cache();
}

impl<S> Filter<S> for KernelSpans {
    fn enabled(&self, metadata: &Metadata<'_>, _: &Context<'_, S>) -> bool {
        metadata.target() == SPANS && ARE_TAKEN.load(Ordering::Acquire)
    }

    fn callsite_enabled(&self, metadata: &'static Metadata<'static>) -> Interest {
        let is_taken = metadata.target() == SPANS && ARE_TAKEN.load(Ordering::Acquire);
        if is_taken { Interest::always() } else { Interest::never() }
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(if ARE_TAKEN.load(Ordering::Acquire) { LevelFilter::DEBUG } else { LevelFilter::OFF })
    }
}
