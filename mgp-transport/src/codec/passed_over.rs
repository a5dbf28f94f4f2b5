//! What is seen of a line that is too long: enough to tell whose it is.

use mgp_types::{
    json::RawJson,
    rpc::{ErrorObject, FrameError, RequestId},
};

/// A line that is too long. Most are results, whose caller should hear of it; the id stands near the start or at the very end.
#[derive(Debug)]
pub(super) struct PassedOver {
    id: Option<RequestId>,
    is_request: bool,
    is_response: bool,
    tail: Vec<u8>,
}

/// How much of the start is looked at, in bytes.
const HEAD: usize = 1024;

/// How much of the end is kept, in bytes.
const TAIL: usize = 1100;

impl PassedOver {
    /// Looks at the start. What is left open there is looked for at the end.
    pub(super) fn new(start: &[u8]) -> Self {
        let mut seen = Self { id: None, is_request: false, is_response: false, tail: Vec::new() };
        seen.look(&start[..start.len().min(HEAD)]);
        seen
    }

    /// Keeps the end of what was read.
    pub(super) fn see(&mut self, part: &[u8]) {
        self.tail.extend_from_slice(&part[part.len().saturating_sub(TAIL)..]);
        let spare = self.tail.len().saturating_sub(TAIL);
        self.tail.drain(..spare);
    }

    /// Says that it is too long, and of which call.
    pub(super) fn error(self, max: usize) -> FrameError {
        let message = format!("invalid frame: longer than {max} bytes");
        let is_response = self.is_response && !self.is_request;
        let id = self.id.or_else(|| last_id(&self.tail));
        FrameError { id, error: ErrorObject::invalid_request(message), is_response }
    }

    /// Reads the members of the envelope that stand in the start, as far as they are whole.
    fn look(&mut self, head: &[u8]) {
        let (mut at, mut depth, mut is_key, mut of_id) = (0, 0usize, false, false);
        while let Some(byte) = head.get(at) {
            let start = at;
            at += 1;
            match byte {
                b'{' | b'[' => {
                    depth += 1;
                    is_key = depth == 1;
                }
                b'}' | b']' => depth = depth.saturating_sub(1),
                b',' if depth == 1 => (is_key, of_id) = (true, false),
                b'"' => {
                    let Some(end) = string_end(&head[at..]) else { return };
                    at += end;
                    let text = &head[start + 1..at - 1];
                    if depth == 1 && is_key {
                        is_key = false;
                        of_id = text == b"id";
                        self.is_request |= text == b"method";
                        self.is_response |= text == b"result" || text == b"error";
                    } else if depth == 1 && of_id {
                        self.id = id(&head[start..at]);
                    }
                }
                b'0'..=b'9' | b'-' if depth == 1 && of_id => {
                    let length =
                        head[start..].iter().take_while(|b| !matches!(b, b',' | b'}' | b' ')).count();
                    at = start + length;
                    // One that goes on past what is looked at may have more digits.
                    if at < head.len() {
                        self.id = id(&head[start..at]);
                    }
                }
                _ => {}
            }
        }
    }
}

/// The length of a string without its opening quote and with its closing one.
fn string_end(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr2(b'"', b'\\', &text[at..])?;
        if text[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
        if at > text.len() {
            return None;
        }
    }
}

/// The id that is the last member of the envelope: what stands right before its closing brace.
fn last_id(tail: &[u8]) -> Option<RequestId> {
    let members = tail.trim_ascii().strip_suffix(b"}")?;
    let at = memchr::memmem::rfind(members, b"\"id\":")?;
    // A longer key can end in these characters; the quote in it is escaped.
    let is_whole = *members.get(at.checked_sub(1)?)? != b'\\';
    if is_whole { id(&members[at + 5..]) } else { None }
}

fn id(text: &[u8]) -> Option<RequestId> {
    RequestId::from_json(&RawJson::parse(text.to_vec()).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The id and whether it is a response, of a line of which the middle is cut out.
    fn seen(start: &str, end: &str) -> (Option<String>, bool) {
        let mut line = PassedOver::new(start.as_bytes());
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
    fn the_id_of_the_envelope_is_found_at_the_start_and_at_the_end() {
        assert_eq!(seen(r#"{"jsonrpc":"2.0", "id" : 7 ,"result":{"a":""#, "\"}}"), is("7", true));
        assert_eq!(seen(r#"{"id":"seven","method":"m","params":{"a":""#, "\"}}"), is("\"seven\"", false));
        assert_eq!(seen(r#"{"result":{"a":""#, r#""},"jsonrpc":"2.0","id":7}"#), is("7", true));
        assert_eq!(seen(r#"{"method":"m","params":{"a":""#, "\"},\"id\":-7}\r\n"), is("-7", false));
    }

    #[test]
    fn an_id_inside_the_payload_is_nobody_s() {
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
    fn an_id_that_is_cut_is_none() {
        let start = format!(r#"{{"a":"{}","id":123456,"result":""#, "x".repeat(HEAD - 16));
        assert_eq!(seen(&start, "\"}"), (None, false));
        let whole = format!(r#"{{"a":"{}","id":12,"result":""#, "x".repeat(HEAD - 30));
        assert_eq!(seen(&whole, "\"}").0.as_deref(), Some("12"));
    }
}
