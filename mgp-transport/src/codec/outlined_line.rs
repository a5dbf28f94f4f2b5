//! Reads a line whose long strings go to a store.

use super::oversized_line::OversizedLine;
use crate::long_text::{LongTexts, Outline, OutlinedLine};
use mgp_types::{
    error::{ErrorCode, Recovery},
    rpc::{EnvelopeScan, FrameError},
};
use std::io;

/// The length from which on a line is read without its long strings, in bytes. For shorter lines, the saved memory is not worth
/// the work.
const OUTLINED_FROM: usize = 256 * 1024;

/// The length of the start that is searched for the id of the call, in bytes.
const HEAD: usize = 1024;

/// A line that is being read without its long strings.
pub(super) struct OutlinedReader {
    /// The outline, or the error if the line cannot be read; the rest of the line is then read and dropped.
    outline: Result<Outline, io::Error>,
    /// The start and end of the line, which hold the id of its call for errors.
    ends: OversizedLine,
}

impl OutlinedReader {
    /// Begins to read a line with this start. Returns `None` for a line that is read whole: a short one, and one that does not
    /// answer a call with long strings. The id of the call may also be at the end of the line.
    pub(super) fn begin(long: &LongTexts, start: &[u8], max: usize) -> Option<Box<Self>> {
        if start.len() < OUTLINED_FROM || long.is_unused() {
            return None;
        }
        let scan = EnvelopeScan::of(&start[..HEAD]);
        let texts = match scan.id() {
            Some(id) => long.of_call(id.number()?),
            None if scan.is_response() => long.of_any_call(),
            None => None,
        }?;
        let outline = Ok(Outline::new(texts.store().clone(), max));
        Some(Box::new(Self { outline, ends: OversizedLine::new(start) }))
    }

    /// Reads the next part of the line.
    pub(super) fn read(&mut self, part: &[u8]) {
        self.ends.see(part);
        let read = self.outline.as_mut().map(|outline| outline.read(part));
        if let Ok(Err(error)) = read {
            self.outline = Err(error);
        }
    }

    /// Ends the line.
    ///
    /// # Errors
    /// Returns the reason why the line cannot be read, with the id of its call. The code is 3001 if the result is too long for
    /// the room left in the store.
    pub(super) fn finish(self, max: usize) -> Result<OutlinedLine, FrameError> {
        let error = match self.outline {
            Ok(outline) => return Ok(outline.finish()),
            Err(error) => error,
        };
        let reason = format!("longer than {max} bytes, and its long strings could not be kept: {error}");
        let mut frame = self.ends.error_with(format!("invalid frame: {reason}"));
        if frame.is_response && error.kind() != io::ErrorKind::InvalidData {
            let code = ErrorCode::ResourceExhausted;
            let lost = code.error(format!("the tool has run, and its result is lost: it is {reason}"));
            frame.error = Recovery::of(code).without_retry().attach(lost);
        }
        Err(frame)
    }
}

impl std::fmt::Debug for OutlinedReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OutlinedReader").finish_non_exhaustive()
    }
}
