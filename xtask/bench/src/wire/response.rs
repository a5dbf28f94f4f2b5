//! The responses of the server, in HTTP/1.1. The length or the last chunk marks the end of a response.

use memchr::memmem;
use std::ops::Range;

/// A complete response.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) session: Option<String>,
    /// The body without its framing.
    pub(super) body: Vec<u8>,
    /// The length of the response in the received bytes.
    pub(super) length: usize,
}

impl Response {
    /// Reads the response at the start of the received bytes. Returns `false` if a part is still missing. Reuses the body's memory.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Result<bool, String> {
        let Some(head) = memmem::find(bytes, b"\r\n\r\n") else { return Ok(false) };
        let rest = head + 4;
        let head = std::str::from_utf8(&bytes[..head]).map_err(|error| format!("head: {error}"))?;
        let mut lines = head.split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|code| code.parse().ok());
        self.status = status.ok_or_else(|| format!("expected a status line, found {head:?}"))?;
        self.session = None;
        let (mut length, mut chunked) = (0, false);
        for (name, value) in lines.filter_map(|line| line.split_once(':')) {
            let value = value.trim();
            if name.eq_ignore_ascii_case("content-length") {
                length = value.parse().map_err(|_| format!("content-length: found {value:?}"))?;
            } else if name.eq_ignore_ascii_case("transfer-encoding") {
                chunked = value.eq_ignore_ascii_case("chunked");
            } else if name.eq_ignore_ascii_case("mcp-session-id") {
                self.session = Some(value.to_owned());
            }
        }
        self.body.clear();
        if !chunked {
            let Some(body) = bytes.get(rest..rest + length) else { return Ok(false) };
            self.body.extend_from_slice(body);
            self.length = rest + length;
            return Ok(true);
        }
        let mut at = rest;
        while let Some((data, next)) = chunk(bytes, at)? {
            at = next;
            if data.is_empty() {
                self.length = at;
                return Ok(true);
            }
            self.body.extend_from_slice(&bytes[data]);
        }
        Ok(false)
    }
}

/// Returns the next chunk, and the start of the one after it, or `None` if a part is still missing. The last chunk is empty.
fn chunk(bytes: &[u8], at: usize) -> Result<Option<(Range<usize>, usize)>, String> {
    let Some(line) = memmem::find(&bytes[at..], b"\r\n") else { return Ok(None) };
    let size = std::str::from_utf8(&bytes[at..at + line]).ok();
    let size = size.and_then(|size| usize::from_str_radix(size.trim(), 16).ok());
    let size = size.ok_or("expected the size of a chunk")?;
    let start = at + line + 2;
    let end = start.checked_add(size).ok_or("a chunk is too large")?;
    Ok((bytes.len() >= end + 2).then_some((start..end, end + 2)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Response> {
        let mut response = Response::default();
        response.read(text.as_bytes()).unwrap().then_some(response)
    }

    /// Reads the whole text, with more behind it, and checks that no part of the text is enough.
    fn check(text: &str, body: &str) -> Response {
        for end in 0..text.len() {
            assert_eq!(read(&text[..end]), None, "{:?}", &text[..end]);
        }
        let response = read(&format!("{text}HTTP/1.1 ")).unwrap();
        assert_eq!((response.body.as_slice(), response.length), (body.as_bytes(), text.len()));
        response
    }

    #[test]
    fn a_body_ends_by_its_length_or_an_empty_chunk() {
        let whole =
            check("HTTP/1.1 200 OK\r\nMcp-Session-Id: s1\r\nContent-Length: 5\r\n\r\n{\"a\"}", "{\"a\"}");
        assert_eq!((whole.status, whole.session.as_deref()), (200, Some("s1")));
        let chunks = check(
            "HTTP/1.1 202 Accepted\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n",
            "abc0123456789",
        );
        assert_eq!((chunks.status, chunks.session), (202, None));
        check("HTTP/1.1 202 Accepted\r\n\r\n", "");
    }

    #[test]
    fn an_invalid_response_is_an_error() {
        for text in ["nonsense\r\n\r\n", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n"] {
            assert!(Response::default().read(text.as_bytes()).is_err(), "{text}");
        }
    }
}
