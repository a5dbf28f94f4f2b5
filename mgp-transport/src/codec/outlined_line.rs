//! The reading of a line whose long strings go to a store.

use super::oversized_line::OversizedLine;
use crate::long_text::{LongTexts, Outline, OutlinedLine};
use mgp_types::{
    error::{ErrorCode, Recovery},
    rpc::{EnvelopeScan, FrameError},
};
use std::io;

/// The length from which on a line is read without its long strings, in bytes. Below it, the memory is not worth the work.
const OUTLINED_FROM: usize = 256 * 1024;

/// The length of the start in which the id of the call is looked for, in bytes.
const HEAD: usize = 1024;

/// A line that is being read without its long strings.
pub(super) struct OutlinedReader {
    /// The error if the line cannot be read. What follows is read and dropped.
    outline: Result<Outline, io::Error>,
    /// The ends of the line, by which an error names its call.
    ends: OversizedLine,
}

impl OutlinedReader {
    /// Begins to read a line that starts like this; `None` for one that is read whole: a short one, and one that is no answer to a call
    /// with long strings. The id of the call may stand at the end of the line.
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
    /// The reason why the line cannot be read, with the id of the call that it belongs to: 3001 if its result is too long for what is left of the
    /// store.
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
