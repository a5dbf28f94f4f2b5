//! Texts in spools, and data with such texts instead of their placeholders.

use super::ReferenceSettings;
use mgp_store::spool::{Spool, SpoolWriter};
use mgp_transport::long_text::{LongText, LongTextStore, LongTextWriter, PlacedText, read_part};
use mgp_types::json::RawJson;
use std::{
    io,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

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
    fn the_texts_of_one_call_and_of_all_calls_are_bounded() {
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
