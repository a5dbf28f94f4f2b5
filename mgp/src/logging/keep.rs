//! Keeps the log of a gateway and the stderr of its servers in the state folder.

use super::{
    LogLine,
    files::{GATEWAY, LogFiles, is_name},
    line::STDERR,
    rates::{MAX_LINES, StderrRates},
};
use std::{
    collections::BTreeMap,
    fmt::{self, Write},
    io,
    sync::{
        OnceLock,
        atomic::{AtomicU64, AtomicUsize, Ordering},
        mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};
use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    level_filters::LevelFilter,
    subscriber::Interest,
};
use tracing_subscriber::{
    Layer,
    layer::{Context, Filter},
    registry::LookupSpan,
};

/// The target of events for lines of a server's stderr.
const SERVER_STDERR: &str = "mgp::server_stderr";

/// The capacity of the queue, in lines. Further lines are dropped and counted.
const WAITING: usize = 1024;

/// The part of the queue that servers' lines may fill. The rest is reserved for the gateway.
const WAITING_OF_SERVERS: usize = WAITING / 2;

/// The maximum number of lines per write.
const AT_ONCE: usize = 256;

/// The time limit for writing the last lines at the end of the program.
const END_TIMEOUT: Duration = Duration::from_secs(1);

/// The queue of the writing thread; not set while no logs are kept.
static QUEUE: OnceLock<SyncSender<Entry>> = OnceLock::new();

/// The number of lines in the queue.
static WAIT: AtomicUsize = AtomicUsize::new(0);

/// The number of lines that were dropped because the queue was full or a write failed.
static LEFT_OUT: AtomicU64 = AtomicU64::new(0);

/// An entry of the queue.
#[derive(Debug)]
enum Entry {
    /// A line of a log.
    Line(String, LogLine),
    /// Replies once everything before it is written.
    Flush(SyncSender<()>),
}

/// Keeps lines in these files from now on. Only the first call has an effect.
///
/// # Errors
/// If the folder cannot be created, or the thread cannot be started.
pub(crate) fn keep_in(files: LogFiles) -> io::Result<()> {
    files.open()?;
    let (queue, entries) = sync_channel(WAITING);
    thread::Builder::new().name("mgp-logs".to_owned()).spawn(move || write(&files, &entries))?;
    if QUEUE.set(queue).is_ok() {
        tracing::callsite::rebuild_interest_cache();
    }
    Ok(())
}

/// Waits a short time for the last lines to be written.
pub(crate) fn finish() {
    let Some(queue) = QUEUE.get() else { return };
    let (done, is_done) = sync_channel(1);
    let end = Instant::now() + END_TIMEOUT;
    let mut entry = Entry::Flush(done);
    while let Err(TrySendError::Full(unsent)) = queue.try_send(entry) {
        if Instant::now() >= end {
            return;
        }
        entry = unsent;
        thread::sleep(Duration::from_millis(1));
    }
    let _ = is_done.recv_timeout(END_TIMEOUT);
}

/// Writes entries until the program ends.
fn write(files: &LogFiles, entries: &Receiver<Entry>) {
    while let Ok(first) = entries.recv() {
        let (mut texts, mut flushes) = (BTreeMap::<String, String>::new(), Vec::new());
        for entry in std::iter::once(first).chain(entries.try_iter().take(AT_ONCE)) {
            match entry {
                Entry::Line(name, line) => {
                    WAIT.fetch_sub(1, Ordering::Relaxed);
                    // Writing to a string cannot fail.
                    let _ = writeln!(texts.entry(name).or_default(), "{line}");
                }
                Entry::Flush(done) => flushes.push(done),
            }
        }
        let left_out = LEFT_OUT.swap(0, Ordering::Relaxed);
        if left_out > 0 {
            let line = LogLine::now(
                "WARN",
                &format!(
                    "{left_out} lines of logs are left out: too many came at once, or a file could not be written"
                ),
            );
            let _ = writeln!(texts.entry(GATEWAY.to_owned()).or_default(), "{line}");
        }
        for (name, text) in texts {
            // A failed write, as on a full disk, does not affect other logs.
            if files.append(&name, &text).is_err() {
                LEFT_OUT.fetch_add(text.lines().count() as u64, Ordering::Relaxed);
            }
        }
        for done in flushes {
            // The receiver may no longer be waiting.
            let _ = done.try_send(());
        }
    }
}

/// Puts a line into the queue, if there is room.
fn put(queue: &SyncSender<Entry>, name: String, line: LogLine) {
    WAIT.fetch_add(1, Ordering::Relaxed);
    if queue.try_send(Entry::Line(name, line)).is_err() {
        WAIT.fetch_sub(1, Ordering::Relaxed);
        LEFT_OUT.fetch_add(1, Ordering::Relaxed);
    }
}

/// The layer that queues lines.
#[derive(Debug, Default)]
struct KeepLayer {
    rates: StderrRates,
}

/// The filter for kept events: all warnings, and the informational events of the gateway's own crates.
#[derive(Debug)]
struct KeepFilter;

/// Returns the layer that keeps lines once [`keep_in`] was called.
pub(super) fn layer<S: Subscriber + for<'a> LookupSpan<'a>>() -> impl Layer<S> {
    KeepLayer::default().with_filter(KeepFilter)
}

impl KeepFilter {
    fn takes(metadata: &Metadata<'_>) -> bool {
        let most = if metadata.target().starts_with("mgp") { Level::INFO } else { Level::WARN };
        metadata.is_event() && *metadata.level() <= most && QUEUE.get().is_some()
    }
}

impl<S> Filter<S> for KeepFilter {
    fn enabled(&self, metadata: &Metadata<'_>, _: &Context<'_, S>) -> bool {
        Self::takes(metadata)
    }

    fn callsite_enabled(&self, metadata: &'static Metadata<'static>) -> Interest {
        if Self::takes(metadata) { Interest::always() } else { Interest::never() }
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(if QUEUE.get().is_some() { LevelFilter::INFO } else { LevelFilter::OFF })
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for KeepLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let Some(queue) = QUEUE.get() else { return };
        let mut fields = Fields::default();
        event.record(&mut fields);
        let Fields { server, text } = fields;
        let is_stderr = event.metadata().target() == SERVER_STDERR;
        let level = if is_stderr { STDERR } else { event.metadata().level().as_str() };
        let of_server = server.filter(|server| is_name(server) && server != GATEWAY);
        let line = match &of_server {
            Some(server) if !is_stderr => LogLine::now(level, &format!("{text} server={server}")),
            _ => LogLine::now(level, &text),
        };
        if let Some(server) = of_server.as_ref().filter(|_| is_stderr) {
            let Some(left_out) = self.rates.take(server, Instant::now()) else { return };
            if left_out > 0 {
                let text = format!("{left_out} lines are left out: more than {MAX_LINES} came in a second");
                put(queue, server.clone(), LogLine::now("WARN", &text));
            }
            if WAIT.load(Ordering::Relaxed) >= WAITING_OF_SERVERS {
                LEFT_OUT.fetch_add(1, Ordering::Relaxed);
                return;
            }
        }
        // The gateway's events about a server are in both logs.
        let of_gateway = (!is_stderr).then(|| GATEWAY.to_owned());
        for name in of_server.into_iter().chain(of_gateway) {
            put(queue, name, line.clone());
        }
    }
}

/// The fields of an event: the server that it concerns, and the rest as text.
#[derive(Debug, Default)]
struct Fields {
    server: Option<String>,
    text: String,
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "server" => self.server = Some(value.to_owned()),
            _ => self.record_debug(field, &format_args!("{value}")),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a string cannot fail.
        let _ = match field.name() {
            // The message comes first, in any order of fields.
            "message" => {
                let rest = std::mem::take(&mut self.text);
                write!(self.text, "{value:?}{rest}")
            }
            name => write!(self.text, " {name}={value:?}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing_subscriber::layer::SubscriberExt;

    #[test]
    fn lines_of_servers_and_of_the_gateway_are_kept_apart() {
        let state = tempfile::tempdir().unwrap();
        let files = LogFiles::of(&mgp_kernel::StateFolder::open(state.path()).unwrap());
        keep_in(files.clone()).unwrap();
        let subscriber = tracing_subscriber::registry().with(layer());
        tracing::subscriber::with_default(subscriber, || {
            tracing::info!(target: SERVER_STDERR, server = "notes", "{}", "started\nat \u{1b}[2J port 7");
            tracing::warn!(target: "mgp_kernel::kernel", server = "notes", why = "it ended", "lost");
            tracing::info!(target: "mgp_kernel", "draining");
            tracing::debug!(target: "mgp_kernel", "too much");
            tracing::info!(target: "hyper", "too much");
            tracing::warn!(target: SERVER_STDERR, server = "../etc", "no id");
        });
        finish();
        let texts = |name: &str| {
            let lines = files.last(name, 100).unwrap().0;
            lines.into_iter().map(|line| format!("{} {}", line.level, line.text)).collect::<Vec<_>>()
        };
        assert_eq!(
            texts("notes"),
            [r"STDERR started at \u{1b}[2J port 7", "WARN lost why=it ended server=notes"]
        );
        assert_eq!(texts(GATEWAY), ["WARN lost why=it ended server=notes", "INFO draining"]);
        assert_eq!(files.names(), [GATEWAY, "notes"]);
    }
}
