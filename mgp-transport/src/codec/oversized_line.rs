//! The start and end of a line that is too long: enough to find the call that the line belongs to.

use mgp_types::{
    json::RawJson,
    rpc::{EnvelopeScan, ErrorObject, FrameError, RequestId},
};

/// A line that is too long. Most of these are results, and the caller should receive the error. The id is near the start or at
/// the very end.
#[derive(Debug)]
pub(super) struct OversizedLine {
    start: EnvelopeScan,
    tail: Vec<u8>,
}

/// The length of the start that is scanned, in bytes.
const HEAD: usize = 1024;

/// The length of the end that is kept, in bytes.
const TAIL: usize = 1100;

impl OversizedLine {
    /// Scans the start of a line. An id that is not found there is searched for at the end.
    pub(super) fn new(start: &[u8]) -> Self {
        Self { start: EnvelopeScan::of(&start[..start.len().min(HEAD)]), tail: Vec::new() }
    }

    /// Appends the next part of the line, and keeps the end of all parts so far.
    pub(super) fn see(&mut self, part: &[u8]) {
        self.tail.extend_from_slice(&part[part.len().saturating_sub(TAIL)..]);
        let spare = self.tail.len().saturating_sub(TAIL);
        self.tail.drain(..spare);
    }

    /// Returns the error for a line that is too long, with the id of the call that it belongs to.
    pub(super) fn error(self, max: usize) -> FrameError {
        self.error_with(format!("invalid frame: longer than {max} bytes"))
    }

    /// Returns an error with this message and the id of the call that it belongs to.
    pub(super) fn error_with(self, message: String) -> FrameError {
        let id = self.start.id().cloned().or_else(|| last_id(&self.tail));
        let is_response = self.start.is_response();
        FrameError { id, error: ErrorObject::invalid_request(message), is_response, is_bare: false }
    }
}

/// Returns the id if it is the last member of the envelope, right before the closing brace.
fn last_id(tail: &[u8]) -> Option<RequestId> {
    let members = tail.trim_ascii().strip_suffix(b"}")?;
    let at = memchr::memmem::rfind(members, b"\"id\":")?;
    // A longer key can end in these characters; the quote is then escaped.
    let is_whole = *members.get(at.checked_sub(1)?)? != b'\\';
    if is_whole { id(&members[at + 5..]) } else { None }
}

fn id(text: &[u8]) -> Option<RequestId> {
    RequestId::from_json(&RawJson::parse(text.to_vec()).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the id that is found in a line whose middle is cut out, and whether the line is a response.
    fn seen(start: &str, end: &str) -> (Option<String>, bool) {
        let mut line = OversizedLine::new(start.as_bytes());
        line.see(start.as_bytes());
        line.see(&[b'x'; 5000]);
        line.see(end.as_bytes());
        let error = line.error(1000);
        (error.id.map(|id| id.to_json().to_string()), error.is_response)
    }

    fn is(id: &str, response: bool) -> (Option<String>, bool) {
        (Some(id.to_owned()), response)
    }

    #[test]
    fn the_envelope_s_id_is_found_at_the_start_and_at_the_end() {
        assert_eq!(seen(r#"{"jsonrpc":"2.0", "id" : 7 ,"result":{"a":""#, "\"}}"), is("7", true));
        assert_eq!(seen(r#"{"id":"seven","method":"m","params":{"a":""#, "\"}}"), is("\"seven\"", false));
        assert_eq!(seen(r#"{"result":{"a":""#, r#""},"jsonrpc":"2.0","id":7}"#), is("7", true));
        assert_eq!(seen(r#"{"method":"m","params":{"a":""#, "\"},\"id\":-7}\r\n"), is("-7", false));
    }

    #[test]
    fn an_id_inside_the_payload_does_not_count() {
        assert_eq!(seen(r#"{"result":{"structuredContent":{"id":5,"a":""#, "\"}}}"), (None, true));
        assert_eq!(
            seen(r#"{"method":"m","params":{"arguments":{"id":9,"a":""#, r#"","id":9}}}"#),
            (None, false)
        );
        assert_eq!(seen(r#"{"result":{"a":""#, r#""},"id":7,"a\"id":5}"#), (None, true));
        assert_eq!(seen(r#"{"result":"\"id\":5,"#, r#"\"id\":5}"}"#), (None, true));
        assert_eq!(seen(r#"{"result":[{"id":5}],"a":""#, r#""},"jsonrpc":"2.0","id":7}"#), is("7", true));
    }

    #[test]
    fn a_truncated_id_does_not_count() {
        let start = format!(r#"{{"a":"{}","id":123456,"result":""#, "x".repeat(HEAD - 16));
        assert_eq!(seen(&start, "\"}"), (None, false));
        let whole = format!(r#"{{"a":"{}","id":12,"result":""#, "x".repeat(HEAD - 30));
        assert_eq!(seen(&whole, "\"}").0.as_deref(), Some("12"));
    }
}
