//! The warnings of a test, kept instead of printed.

use parking_lot::Mutex;
use std::{
    fmt::Debug,
    sync::{Arc, OnceLock},
};
use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

/// One warning.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Warning {
    pub(crate) message: String,
    /// Its fields, as they are printed.
    pub(crate) text: String,
}

/// Keeps the warnings of this thread for as long as the returned guard lives.
pub(crate) fn keep() -> (Warnings, tracing::subscriber::DefaultGuard) {
    // Where there is one subscriber in all, a thread without it that warns first decides that nobody wants to hear of it.
    static ANOTHER: OnceLock<tracing::Dispatch> = OnceLock::new();
    ANOTHER.get_or_init(|| tracing::Dispatch::new(Warnings::default()));
    let warnings = Warnings::default();
    let guard = tracing::subscriber::set_default(warnings.clone());
    (warnings, guard)
}

/// The warnings that were written. A clone is the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct Warnings(Arc<Mutex<Vec<Warning>>>);

impl Warnings {
    pub(crate) fn take(&self) -> Vec<Warning> {
        std::mem::take(&mut self.0.lock())
    }
}

impl Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::WARN
    }
    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }
    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn event(&self, event: &Event<'_>) {
        let mut warning = Warning::default();
        event.record(&mut warning);
        self.0.lock().push(warning);
    }
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

impl Visit for Warning {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        } else {
            self.text.push_str(&format!("{field}={value:?} "));
        }
    }
}
