//! A parser of server-sent events that reads piece by piece, within bounds.

use memchr::memchr2;
use mgp_types::json::without_mark;
use std::{collections::VecDeque, time::Duration};

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SseEvent {
    /// The type of the event; empty if the stream names none.
    pub(crate) event: String,
    pub(crate) data: Vec<u8>,
}

/// The error for an event that is too long, after which the stream cannot be read further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event is longer than {0} bytes")]
pub(crate) struct EventTooLong(usize);

/// A parser of one stream.
#[derive(Debug)]
pub(crate) struct SseParser {
    max: usize,
    line: Vec<u8>,
    event: String,
    data: Vec<u8>,
    has_data: bool,
    /// True if the line before ended in CR: an LF right after it belongs to it.
    after_cr: bool,
    /// True before the end of the first line, which may begin with a byte order mark.
    at_start: bool,
    last_id: Option<String>,
    retry: Option<Duration>,
}

impl SseParser {
    /// Creates a parser. No line and no event may be longer than `max` bytes.
    pub(crate) fn new(max: usize) -> Self {
        Self {
            max,
            line: Vec::new(),
            event: String::new(),
            data: Vec::new(),
            has_data: false,
            after_cr: false,
            at_start: true,
            last_id: None,
            retry: None,
        }
    }

    /// Returns the id of the event after which the stream can be resumed.
    pub(crate) fn last_id(&self) -> Option<&str> {
        self.last_id.as_deref()
    }

    /// Returns the wait that the server requests before a reconnection.
    pub(crate) fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// Reads the next piece. Whole events go into `events`.
    ///
    /// # Errors
    /// Returns [`EventTooLong`]; nothing more can be read after it.
    pub(crate) fn feed(
        &mut self,
        mut bytes: &[u8],
        events: &mut VecDeque<SseEvent>,
    ) -> Result<(), EventTooLong> {
        while !bytes.is_empty() {
            if std::mem::take(&mut self.after_cr) && bytes[0] == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let Some(at) = memchr2(b'\n', b'\r', bytes) else {
                return self.extend_line(bytes);
            };
            self.extend_line(&bytes[..at])?;
            self.after_cr = bytes[at] == b'\r';
            bytes = &bytes[at + 1..];
            let mut line = std::mem::take(&mut self.line);
            let text = if std::mem::take(&mut self.at_start) { without_mark(&line) } else { &line };
            self.read_line(text, events)?;
            line.clear();
            self.line = line;
        }
        Ok(())
    }

    fn extend_line(&mut self, bytes: &[u8]) -> Result<(), EventTooLong> {
        // Room for the field's name.
        if self.line.len() + bytes.len() > self.max + 16 {
            return Err(EventTooLong(self.max));
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn read_line(&mut self, line: &[u8], events: &mut VecDeque<SseEvent>) -> Result<(), EventTooLong> {
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            if std::mem::take(&mut self.has_data) {
                events.push_back(SseEvent { event, data: std::mem::take(&mut self.data) });
            }
            return Ok(());
        }
        let (field, value) = match memchr::memchr(b':', line) {
            Some(at) => (&line[..at], line[at + 1..].strip_prefix(b" ").unwrap_or(&line[at + 1..])),
            None => (line, &b""[..]),
        };
        match field {
            b"data" => {
                if self.data.len() + value.len() >= self.max {
                    return Err(EventTooLong(self.max));
                }
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
            }
            b"event" => self.event = String::from_utf8_lossy(value).into_owned(),
            // An id is sent back as a header, so an id that no header can carry is ignored.
            b"id" if value.len() <= 1024 && !value.contains(&0) => {
                self.last_id = std::str::from_utf8(value).ok().map(str::to_owned);
            }
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                let millis = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
                self.retry = millis.map(Duration::from_millis);
            }
            // A comment, or an unknown field.
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(parser: &mut SseParser, pieces: &[&[u8]]) -> Result<Vec<(String, String)>, EventTooLong> {
        let mut events = VecDeque::new();
        for piece in pieces {
            parser.feed(piece, &mut events)?;
        }
        Ok(events.into_iter().map(|e| (e.event, String::from_utf8(e.data).unwrap())).collect())
    }

    fn check(text: &[u8], expected: &[(&str, &str)]) {
        let expected: Vec<_> = expected.iter().map(|(e, d)| ((*e).to_owned(), (*d).to_owned())).collect();
        assert_eq!(parse(&mut SseParser::new(1000), &[text]).unwrap(), expected, "{text:?}");
        // Where a piece ends must not matter.
        let bytes: Vec<_> = text.chunks(1).collect();
        assert_eq!(parse(&mut SseParser::new(1000), &bytes).unwrap(), expected, "{text:?} byte by byte");
    }

    #[test]
    fn an_event_ends_with_an_empty_line_of_any_line_ending() {
        for end in ["\n", "\r", "\r\n"] {
            let text = format!("event: message{end}data: a{end}{end}data:b{end}{end}data: unfinished{end}");
            check(text.as_bytes(), &[("message", "a"), ("", "b")]);
        }
    }

    #[test]
    fn data_lines_are_joined_without_one_space_after_the_colon() {
        check(b"data: a\ndata:  b\ndata\ndata:c\n\n", &[("", "a\n b\n\nc")]);
    }

    #[test]
    fn comments_unknown_fields_and_empty_events_are_skipped() {
        check(b":\n\n: alive\nfoo: bar\nevent: x\n\ndata: 1\n\n", &[("", "1")]);
    }

    #[test]
    fn only_a_byte_order_mark_at_the_start_is_dropped() {
        check(b"\xEF\xBB\xBFdata: a\n\ndata: \xEF\xBB\xBFb\n\n", &[("", "a"), ("", "\u{feff}b")]);
    }

    #[test]
    fn the_last_id_and_the_last_retry_are_kept() {
        let mut parser = SseParser::new(100);
        let text: &[u8] = b"id: 7\ndata:\n\nretry: 1500\nid: a\0b\nretry: soon\n\n";
        assert_eq!(parse(&mut parser, &[text]).unwrap(), [(String::new(), String::new())]);
        assert_eq!((parser.last_id(), parser.retry()), (Some("7"), Some(Duration::from_millis(1500))));
    }

    #[test]
    fn an_overlong_line_or_event_is_refused_early() {
        let line = [&b"data: "[..], &[b'x'; 2000]].concat();
        assert_eq!(parse(&mut SseParser::new(1000), &[&line]), Err(EventTooLong(1000)));
        let lines = [&b"data: "[..], &[b'x'; 90], b"\n"].concat().repeat(12);
        assert_eq!(parse(&mut SseParser::new(1000), &[&lines]), Err(EventTooLong(1000)));
        let fits = [&b"data: "[..], &[b'x'; 990], b"\n\n"].concat();
        assert_eq!(parse(&mut SseParser::new(1000), &[&fits]).unwrap().len(), 1);
    }
}
