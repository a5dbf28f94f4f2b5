//! Frames of one line each.

use super::{outlined_line::OutlinedReader, oversized_line::OversizedLine};
use crate::long_text::{LongTexts, OutlinedLine};
use bytes::{Bytes, BytesMut};
use mgp_types::rpc::FrameError;
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt};

/// A reader of frames, one per line, none longer than a limit.
#[derive(Debug)]
pub(crate) struct LineReader<R> {
    input: R,
    buffer: BytesMut,
    /// The length of the buffer's start that is known to hold no line break, in bytes.
    scanned: usize,
    max: usize,
    /// The line that is being skipped because it is too long.
    passed_over: Option<OversizedLine>,
    /// The long strings of calls on the connection.
    long: Option<LongTexts>,
    /// The line that is being read without its long strings.
    outlined: Option<Box<OutlinedReader>>,
    /// The long strings of the latest frame, and its length with them.
    texts: Option<OutlinedLine>,
}

/// The number of bytes requested from the input at a time.
const CHUNK: usize = 16 * 1024;

/// The least spare room in the buffer that is worth a read, in bytes.
const LITTLE: usize = 2 * 1024;

/// The longest frame that shares its buffer with the frames after it, in bytes. A longer one has the buffer to itself, so that a
/// short frame does not keep its memory.
const LONG: usize = 64 * 1024;

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub(crate) fn new(input: R, max: usize) -> Self {
        let buffer = BytesMut::with_capacity(CHUNK);
        Self { input, buffer, scanned: 0, max, passed_over: None, long: None, outlined: None, texts: None }
    }

    /// Lets frames that answer calls have long strings.
    pub(crate) fn with_long_texts(self, long: Option<LongTexts>) -> Self {
        Self { long, ..self }
    }

    /// Takes the long strings of the frame that was just read, with the frame's length; `None` if the frame is complete.
    pub(crate) fn take_texts(&mut self) -> Option<OutlinedLine> {
        self.texts.take()
    }

    /// Returns the next frame; `None` at the end of the input. A line that is too long yields one error, once the line has ended;
    /// reading then goes on with the next line. Empty lines are skipped.
    ///
    /// # Errors
    /// Returns the error of the input.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Result<Bytes, FrameError>>> {
        loop {
            if let Some(at) = memchr::memchr(b'\n', &self.buffer[self.scanned..]) {
                let line = self.take(self.scanned + at + 1);
                match self.frame(&line) {
                    Some(frame) => return Ok(Some(frame)),
                    None => continue,
                }
            }
            self.scanned = self.buffer.len();
            if self.passed_over.is_none() && self.outlined.is_none() {
                let long = self.long.as_ref();
                self.outlined = long.and_then(|long| OutlinedReader::begin(long, &self.buffer, self.max));
            }
            if let Some(outlined) = &mut self.outlined {
                outlined.read(&self.buffer);
                self.buffer.clear();
                self.scanned = 0;
            }
            // The byte after `max` may be the CR of the line break.
            if self.passed_over.is_some() || self.buffer.len() > self.max.saturating_add(1) {
                let seen = std::mem::replace(&mut self.buffer, BytesMut::with_capacity(CHUNK));
                self.passed_over.get_or_insert_with(|| OversizedLine::new(&seen)).see(&seen);
                self.scanned = 0;
            }
            // Frames still in use keep the buffer that they are slices of, so reserving more room allocates a new one.
            if self.buffer.spare_capacity_mut().len() < LITTLE {
                self.buffer.reserve(CHUNK);
            }
            if self.input.read_buf(&mut self.buffer).await? == 0 {
                // A last line without a line break is a frame, too; the next read returns the end.
                let rest = self.take(self.buffer.len());
                return Ok(self.frame(&rest));
            }
        }
    }

    /// Takes a line, including its line break, from the buffer.
    fn take(&mut self, length: usize) -> Bytes {
        self.scanned = 0;
        let line = self.buffer.split_to(length).freeze();
        if length > LONG {
            let mut rest = BytesMut::with_capacity(self.buffer.len() + CHUNK);
            rest.extend_from_slice(&self.buffer);
            self.buffer = rest;
        }
        line
    }

    fn frame(&mut self, line: &Bytes) -> Option<Result<Bytes, FrameError>> {
        if let Some(mut outlined) = self.outlined.take() {
            outlined.read(line.trim_ascii_end());
            return Some(outlined.finish(self.max).map(|mut outlined| {
                let text = std::mem::take(&mut outlined.line);
                self.texts = Some(outlined);
                text.into()
            }));
        }
        if let Some(mut passed_over) = self.passed_over.take() {
            passed_over.see(line);
            return Some(Err(passed_over.error(self.max)));
        }
        // White space counts: otherwise, the limit would depend on where a piece of the input ends.
        let whole = line.strip_suffix(b"\n").unwrap_or(line);
        let whole = whole.strip_suffix(b"\r").unwrap_or(whole);
        if whole.len() > self.max {
            let mut passed_over = OversizedLine::new(whole);
            passed_over.see(whole);
            return Some(Err(passed_over.error(self.max)));
        }
        let text = whole.trim_ascii();
        if text.is_empty() {
            return None;
        }
        Some(Ok(line.slice_ref(text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn frames(text: &[u8], max: usize) -> Vec<String> {
        let mut reader = LineReader::new(text, max);
        let mut seen = Vec::new();
        while let Some(frame) = reader.next().await.unwrap() {
            seen.push(match frame {
                Ok(line) => String::from_utf8(line.to_vec()).unwrap(),
                Err(error) => error.error.message,
            });
        }
        seen
    }

    #[tokio::test]
    async fn lines_are_frames_and_empty_ones_are_skipped() {
        assert_eq!(frames(b"a\r\n\n  \nb \nc", 10).await, ["a", "b", "c"]);
    }

    #[tokio::test]
    async fn an_overlong_result_names_its_call() {
        let long = |head: &str| [head.as_bytes(), &[b'x'; 200_000], b"\n"].concat();
        for (head, expected) in [
            (r#"{"jsonrpc":"2.0","id": 7,"result":""#, (Some(7.into()), true)),
            (r#"{"jsonrpc":"2.0","id":7,"method":"x","params":""#, (Some(7.into()), false)),
            (r#"{"jsonrpc":"2.0","result":""#, (None, true)),
        ] {
            let text = long(head);
            let error = LineReader::new(&text[..], 1000).next().await.unwrap().unwrap().unwrap_err();
            assert_eq!((error.id, error.is_response), expected, "{head}");
        }
    }

    #[tokio::test]
    async fn white_space_counts_and_the_line_break_does_not() {
        let long = "invalid frame: longer than 10 bytes";
        assert_eq!(frames(b"12345      \n1234567890\r\n           \n", 10).await, [long, "1234567890", long]);
    }

    #[tokio::test]
    async fn a_line_at_the_limit_is_read_and_a_longer_one_refused_once() {
        let text =
            [&b"1234567890\n"[..], &[b'x'; 100_000], b"\nafter\n", &[b'y'; 11], b"\n", &[b'z'; 11]].concat();
        let long = "invalid frame: longer than 10 bytes";
        assert_eq!(frames(&text, 10).await, ["1234567890", long, "after", long, long]);
    }
}
