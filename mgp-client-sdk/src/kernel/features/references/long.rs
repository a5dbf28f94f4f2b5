//! Strings of calls that are too long for memory. They are written from one server's connection into a spool, and from there to another
//! server.

use super::{KernelOptions, ReferenceSettings, References};
use crate::kernel::{catalog::tools::ToolEntry, upstream::Server};
use mgp_store::spool::{Spool, SpoolWriter};
use mgp_transport::{
    long_text::{LongText, LongTextStore, LongTextWriter, PlacedText, read_part},
    seam::ToolCall,
};
use mgp_types::{
    idempotency::IDEMPOTENCY_KEY, json::RawJson, tool_result::ATTEST_KEY, tool_security::SecretPolicy,
    transaction::TRANSACTION_ID,
};
use std::{
    io,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// The validator that accepts everything.
const NO_VALIDATOR: &str = "none";

/// The members of a call's `_meta` because of which its whole result is stored elsewhere, or hashed.
const READ_WHOLE: [&str; 3] = [IDEMPOTENCY_KEY, TRANSACTION_ID, ATTEST_KEY];

/// Returns whether the result of a call may have long strings: no layer may need to read them.
pub(super) fn receives(call: &ToolCall, references: &References) -> bool {
    // A layer of the program sees results, too.
    !references.settings.has_own_gates
        && entry_of(call).is_some_and(|entry| {
            entry.server.carries_long_texts() && entry.server.secrets() == SecretPolicy::Off
        })
        && !is_read_whole(call)
        && !is_task(call)
}

/// Checks that the arguments of a call may have long strings: no gate may need to read them.
///
/// # Errors
/// The reason why they may not have any.
pub(super) fn check_sends(
    call: &ToolCall,
    references: &References,
    options: &KernelOptions,
) -> Result<(), &'static str> {
    let is_read = call.profile.validators.iter().any(|validator| validator.as_str() != NO_VALIDATOR);
    if !entry_of(call).is_some_and(|entry| entry.server.carries_long_texts()) {
        Err("longer data is only sent to servers over stdio")
    } else if is_read {
        Err("a validator of the tool reads it")
    } else if call.profile.max_input_bytes.is_some() {
        Err("the tool limits the size of its arguments")
    } else if references.reads_arguments() || options.checks_arguments {
        Err("the gateway's policy, its check of arguments or a custom gate reads it")
    } else if is_read_whole(call) {
        Err("the call has an idempotency key, is a step of a transaction, or asks for an attestation")
    } else {
        Ok(())
    }
}

fn entry_of(call: &ToolCall) -> Option<&ToolEntry> {
    call.route.as_ref()?.downcast_ref()
}

fn is_read_whole(call: &ToolCall) -> bool {
    let read_whole = |params: &RawJson| {
        params.may_hold("_meta") && READ_WHOLE.iter().any(|member| params.may_hold(member))
    };
    call.params.get().is_some_and(read_whole)
}

/// Returns whether a host runs the call as a task, which keeps its result.
fn is_task(call: &ToolCall) -> bool {
    call.params.get().is_some_and(|params| params.may_hold("task"))
        && call.params.object().is_ok_and(|params| params.get("task").is_some())
}

impl Server {
    /// Returns whether strings that are too long for memory can be sent: only over a byte stream to the server itself.
    fn carries_long_texts(&self) -> bool {
        !self.spec.endpoint.is_http() && !self.spec.shared
    }
}

/// The spools for long strings of results, within limits.
#[derive(Debug)]
pub(super) struct SpoolStore {
    folder: Option<PathBuf>,
    /// The maximum number of bytes of one call, and of all calls.
    bounds: [u64; 2],
    /// The size of the texts of all calls, in bytes.
    bytes: Arc<AtomicU64>,
}

impl SpoolStore {
    pub(super) fn new(settings: &ReferenceSettings) -> Self {
        let bounds = &settings.bounds;
        Self {
            folder: settings.folder.clone(),
            bounds: [bounds.max_bytes.min(bounds.max_total_bytes), bounds.max_total_bytes],
            bytes: Arc::default(),
        }
    }
}

impl LongTextStore for SpoolStore {
    fn begin(&self, before: &[PlacedText]) -> io::Result<Box<dyn LongTextWriter>> {
        Ok(Box::new(SpoolTextWriter {
            spool: SpoolWriter::create(self.folder.as_deref())?,
            bounds: self.bounds,
            before: before.iter().map(|placed| placed.text.length()).sum(),
            written: WrittenBytes { all: self.bytes.clone(), own: 0 },
        }))
    }
}

struct SpoolTextWriter {
    spool: SpoolWriter,
    bounds: [u64; 2],
    /// The size of the earlier texts of the same call, in bytes.
    before: u64,
    written: WrittenBytes,
}

/// The size of a text, counted in the total of all calls while the text exists.
#[derive(Debug)]
struct WrittenBytes {
    all: Arc<AtomicU64>,
    own: u64,
}

impl WrittenBytes {
    /// Adds a number of bytes, and returns the total of all calls.
    fn add(&mut self, bytes: u64) -> u64 {
        self.own += bytes;
        self.all.fetch_add(bytes, Ordering::Relaxed) + bytes
    }
}

impl Drop for WrittenBytes {
    fn drop(&mut self) {
        self.all.fetch_sub(self.own, Ordering::Relaxed);
    }
}

impl LongTextWriter for SpoolTextWriter {
    fn write(&mut self, part: &[u8]) -> io::Result<()> {
        let all = self.written.add(part.len() as u64);
        let [most, most_of_all] = self.bounds;
        if self.before + self.written.own > most || all > most_of_all {
            let message =
                format!("no room: expected at most {most} bytes in one result, and {most_of_all} in all");
            return Err(io::Error::other(message));
        }
        self.spool.write(part)
    }

    fn finish(self: Box<Self>) -> io::Result<Arc<dyn LongText>> {
        Ok(Arc::new(SpoolText { spool: self.spool.finish()?, _counted: Some(self.written) }))
    }
}

/// A text in a spool.
#[derive(Debug)]
pub(super) struct SpoolText {
    spool: Spool,
    _counted: Option<WrittenBytes>,
}

impl SpoolText {
    /// Creates a text whose bytes are counted elsewhere.
    pub(super) fn new(spool: Spool) -> Self {
        Self { spool, _counted: None }
    }
}

impl LongText for SpoolText {
    fn length(&self) -> u64 {
        self.spool.length()
    }

    fn sha256(&self) -> &[u8; 32] {
        self.spool.sha256()
    }

    fn read(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        self.spool.read(offset, length)
    }
}

/// Writes a text with its long strings instead of their placeholders: in JSON as strings, elsewhere unchanged.
///
/// # Errors
/// The errors of the stores.
pub(super) fn compose(
    text: &str,
    texts: &[PlacedText],
    is_json: bool,
    write: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let quote = if is_json { "\"" } else { "" };
    let mut places: Vec<(usize, usize, &PlacedText)> = Vec::new();
    for placed in texts {
        let name = format!("{quote}{}{quote}", placed.placeholder);
        places.extend(text.match_indices(&name).map(|(at, name)| (at, at + name.len(), placed)));
    }
    places.sort_by_key(|(at, ..)| *at);
    let mut done = 0;
    for (at, end, placed) in places {
        if at < done {
            continue;
        }
        write(&text.as_bytes()[done..at])?;
        write(quote.as_bytes())?;
        let mut offset = 0;
        while offset < placed.text.length() {
            let part = read_part(&*placed.text, offset)?;
            offset += part.len() as u64;
            if is_json {
                let quoted = RawJson::string(&part);
                write(&quoted.as_bytes()[1..quoted.as_bytes().len() - 1])?;
            } else {
                write(part.as_bytes())?;
            }
        }
        write(quote.as_bytes())?;
        done = end;
    }
    write(&text.as_bytes()[done..])
}

/// Returns JSON with its long strings inserted, if it does not exceed a size.
pub(super) fn restored(json: &RawJson, texts: &[PlacedText], most: usize) -> Option<RawJson> {
    let mut whole = Vec::new();
    compose(json.as_str(), texts, true, &mut |part| {
        if whole.len() + part.len() > most {
            return Err(io::Error::other("too long"));
        }
        whole.extend_from_slice(part);
        Ok(())
    })
    .ok()?;
    RawJson::parse(whole).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_of_a_call_share_one_bound_and_those_of_all_calls_another() {
        let store = SpoolStore { folder: None, bounds: [10, 15], bytes: Arc::default() };
        let mut first = store.begin(&[]).unwrap();
        first.write(b"123456").unwrap();
        let first = [PlacedText { placeholder: "first".into(), text: first.finish().unwrap() }];
        let mut second = store.begin(&first).unwrap();
        second.write(b"1234").unwrap();
        let error = second.write(b"5").unwrap_err().to_string();
        assert_eq!(error, "no room: expected at most 10 bytes in one result, and 15 in all");
        drop(second);
        let mut other = store.begin(&[]).unwrap();
        other.write(b"123456789").unwrap();
        assert!(other.write(b"0").is_err(), "16 bytes in all");
        drop((first, other));
        assert_eq!(store.bytes.load(Ordering::Relaxed), 0);
    }
}
