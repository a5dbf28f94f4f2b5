//! The head of a message.

use super::Endpoint;

/// The end marker of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    Length(usize),
    Chunked,
}

/// The head of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) status: u16,
    pub(crate) framing: Framing,
    pub(crate) is_stream: bool,
    pub(crate) session: Option<String>,
    pub(crate) closes: bool,
}

impl Head {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut lines = text.split("\r\n");
        let status = lines.next()?.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()?;
        let mut head =
            Self { status, framing: Framing::Length(0), is_stream: false, session: None, closes: false };
        for (name, value) in lines.filter_map(|line| line.split_once(':')) {
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => head.framing = Framing::Length(value.parse().ok()?),
                "transfer-encoding" => head.framing = Framing::Chunked,
                "content-type" => head.is_stream = value.starts_with("text/event-stream"),
                "mcp-session-id" => head.session = Some(value.to_owned()),
                "connection" => head.closes = value.eq_ignore_ascii_case("close"),
                _ => {}
            }
        }
        Some(head)
    }
}

/// Returns a request in its wire format.
pub(crate) fn request(
    method: &str,
    endpoint: &Endpoint,
    headers: &[(&str, &str)],
    body: Option<&str>,
) -> Vec<u8> {
    let accept = if method == "GET" { "text/event-stream" } else { "application/json, text/event-stream" };
    let Endpoint { address, key } = endpoint;
    let mut text = format!("{method} /mcp HTTP/1.1\r\nHost: {address}\r\nAccept: {accept}\r\n");
    if let Some(key) = key {
        text.push_str(&format!("Authorization: Bearer {key}\r\n"));
    }
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    if let Some(body) = body {
        text.push_str(&format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len()));
    }
    text.push_str("\r\n");
    text.push_str(body.unwrap_or_default());
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_determines_how_its_body_ends() {
        let head =
            Head::parse("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\ntransfer-encoding: chunked");
        assert!(head.is_some_and(|head| head.is_stream && head.framing == Framing::Chunked));
        let head = Head::parse("HTTP/1.1 404 Not Found\r\ncontent-length: 7\r\nMcp-Session-Id: a").unwrap();
        assert_eq!(
            (head.status, head.framing, head.session.as_deref()),
            (404, Framing::Length(7), Some("a"))
        );
        assert_eq!(Head::parse("HTTP/1.1 20"), None);
    }
}
