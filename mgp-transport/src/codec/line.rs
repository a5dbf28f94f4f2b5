//! One line a frame.

use bytes::{Bytes, BytesMut};
use mgp_types::rpc::{ErrorObject, FrameError, RequestId};
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt};

/// Reads frames, one a line, none longer than a limit.
#[derive(Debug)]
pub(crate) struct LineReader<R> {
    input: R,
    buffer: BytesMut,
    /// How much of the buffer is known to hold no line break.
    scanned: usize,
    max: usize,
    /// The rest of a line that was too long is passed over.
    skipping: bool,
}

/// How many bytes are asked of the input at a time.
const CHUNK: usize = 16 * 1024;

/// Less room than this is not worth a read.
const LITTLE: usize = 2 * 1024;

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub(crate) fn new(input: R, max: usize) -> Self {
        Self { input, buffer: BytesMut::with_capacity(CHUNK), scanned: 0, max, skipping: false }
    }

    /// The next frame; `None` at the end of the input. A line that is too long is an error of its own, once, and the
    /// next line is read as if it had not been there. Empty lines are passed over.
    ///
    /// # Errors
    /// What the input reports.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Result<Bytes, FrameError>>> {
        loop {
            if let Some(at) = memchr::memchr(b'\n', &self.buffer[self.scanned..]) {
                let line = self.buffer.split_to(self.scanned + at + 1);
                self.scanned = 0;
                if std::mem::take(&mut self.skipping) {
                    continue;
                }
                if let Some(frame) = self.frame(&line.freeze()) {
                    return Ok(Some(frame));
                }
                continue;
            }
            self.scanned = self.buffer.len();
            if self.skipping {
                self.buffer.clear();
                self.scanned = 0;
            } else if self.buffer.len() > self.max {
                self.skipping = true;
                self.scanned = 0;
                let start = std::mem::replace(&mut self.buffer, BytesMut::with_capacity(CHUNK));
                return Ok(Some(Err(self.too_long(&start))));
            }
            // Frames that are in use keep the buffer that they are slices of, so to ask for more room is to get a new one.
            if self.buffer.spare_capacity_mut().len() < LITTLE {
                self.buffer.reserve(CHUNK);
            }
            if self.input.read_buf(&mut self.buffer).await? == 0 {
                let rest = self.buffer.split();
                self.scanned = 0;
                // A last line without its break is a frame all the same; the end comes with the next read.
                return Ok(if self.skipping { None } else { self.frame(&rest.freeze()) });
            }
        }
    }

    fn frame(&self, line: &Bytes) -> Option<Result<Bytes, FrameError>> {
        let text = line.trim_ascii();
        if text.is_empty() {
            return None;
        }
        Some(if text.len() > self.max { Err(self.too_long(text)) } else { Ok(line.slice_ref(text)) })
    }

    /// Most long lines are results, whose caller should hear of it: the id stands near the start.
    fn too_long(&self, start: &[u8]) -> FrameError {
        let message = format!("invalid frame: longer than {} bytes", self.max);
        let start = &start[..start.len().min(HEAD)];
        let id = id_near(start);
        let is_response = id.is_some() && memchr::memmem::find(start, b"\"method\"").is_none();
        FrameError { id, error: ErrorObject::invalid_request(message), is_response }
    }
}

/// How much of a line that is too long is looked at.
const HEAD: usize = 1024;

/// The number after the first `"id":`.
fn id_near(start: &[u8]) -> Option<RequestId> {
    let at = memchr::memmem::find(start, b"\"id\":")? + 5;
    let digits: String = start[at..]
        .iter()
        .skip_while(|b| **b == b' ')
        .take_while(|b| b.is_ascii_digit())
        .map(|b| char::from(*b))
        .collect();
    digits.parse::<i64>().ok().map(RequestId::from)
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
    async fn lines_are_frames_and_empty_ones_are_passed_over() {
        assert_eq!(frames(b"a\r\n\n  \nb \nc", 10).await, ["a", "b", "c"]);
    }

    #[tokio::test]
    async fn a_result_that_is_too_long_names_the_call_that_it_belongs_to() {
        let long = |head: &str| [head.as_bytes(), &[b'x'; 200_000], b"\n"].concat();
        for (head, expected) in [
            (r#"{"jsonrpc":"2.0","id": 7,"result":""#, (Some(7.into()), true)),
            (r#"{"jsonrpc":"2.0","id":7,"method":"x","params":""#, (Some(7.into()), false)),
            (r#"{"jsonrpc":"2.0","result":""#, (None, false)),
        ] {
            let text = long(head);
            let error = LineReader::new(&text[..], 1000).next().await.unwrap().unwrap().unwrap_err();
            assert_eq!((error.id, error.is_response), expected, "{head}");
        }
    }

    #[tokio::test]
    async fn a_line_at_the_limit_is_read_and_a_longer_one_is_refused_once() {
        let text =
            [&b"1234567890\n"[..], &[b'x'; 100_000], b"\nafter\n", &[b'y'; 11], b"\n", &[b'z'; 11]].concat();
        let long = "invalid frame: longer than 10 bytes";
        assert_eq!(frames(&text, 10).await, ["1234567890", long, "after", long, long]);
    }
}
