//! The proxy's HTTP: `CONNECT`, and requests whose target is an `http` URL.

use super::{destination::Destination, error::EgressError};
use http::{Method, Uri};
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// The longest head of a request, in bytes.
const MAX_HEAD: usize = 16 * 1024;

/// The end of a head.
const END: &[u8] = b"\r\n\r\n";

/// A request to the proxy.
#[derive(Debug)]
pub(super) struct ProxyRequest {
    pub(super) destination: Destination,
    /// The bytes that the host gets first.
    pub(super) first: Vec<u8>,
    /// True if the client waits for the proxy's answer before it continues.
    pub(super) is_tunnel: bool,
}

/// Reads a request whose first byte was read already.
pub(super) async fn read_request(
    stream: &mut (impl AsyncRead + Unpin),
    first: u8,
) -> Result<ProxyRequest, EgressError> {
    let mut bytes = vec![first];
    let mut looked_at = 0;
    let end = loop {
        let part = bytes.get(looked_at..).unwrap_or_default();
        if let Some(end) = part.windows(END.len()).position(|window| window == END) {
            break looked_at + end;
        }
        // The end of the head may span two parts.
        looked_at = bytes.len().saturating_sub(END.len() - 1);
        if bytes.len() > MAX_HEAD {
            return Err(EgressError::Malformed("the head of the request is too long"));
        }
        let mut part = [0; 1024];
        match stream.read(&mut part).await? {
            0 => return Err(EgressError::Malformed("the request ends within its head")),
            length => bytes.extend_from_slice(&part[..length]),
        }
    };
    let rest = bytes.split_off(end + END.len());
    let head = String::from_utf8(bytes).map_err(|_| EgressError::Malformed("the head is not text"))?;
    parse(&head, rest)
}

fn parse(head: &str, rest: Vec<u8>) -> Result<ProxyRequest, EgressError> {
    const LINE: EgressError = EgressError::Malformed("the first line is not a request");
    let mut lines = head.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(LINE);
    };
    let uri: Uri = target.parse().map_err(|_| LINE)?;
    let authority = uri.authority().filter(|authority| !authority.as_str().contains('@')).ok_or(LINE)?;
    if method == Method::CONNECT.as_str() {
        let port = authority.port_u16().ok_or(EgressError::Malformed("CONNECT needs a port"))?;
        let destination = Destination::new(authority.host(), port)?;
        return Ok(ProxyRequest { destination, first: rest, is_tunnel: true });
    }
    if uri.scheme_str() != Some("http") {
        return Err(EgressError::Malformed("expected CONNECT, or a request for an http URL"));
    }
    let destination = Destination::new(authority.host(), authority.port_u16().unwrap_or(80))?;
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    // A connection leads to one host, so it ends with the answer.
    let is_own = |line: &&str| {
        let name = line.split(':').next().unwrap_or_default().trim().to_ascii_lowercase();
        name == "connection" || name == "keep-alive" || name.starts_with("proxy-")
    };
    let mut first = format!("{method} {path} {version}\r\n");
    for line in lines.filter(|line| !line.is_empty() && !is_own(line)) {
        first.push_str(line);
        first.push_str("\r\n");
    }
    first.push_str("Connection: close\r\n\r\n");
    let mut first = first.into_bytes();
    first.extend(rest);
    Ok(ProxyRequest { destination, first, is_tunnel: false })
}

/// Answers a `CONNECT` once the host is connected.
pub(super) async fn accept(stream: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
    stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await
}

/// Answers a request that is refused.
pub(super) async fn refuse(stream: &mut (impl AsyncWrite + Unpin), error: &EgressError) -> io::Result<()> {
    let status = match error {
        EgressError::Malformed(_) => "400 Bad Request",
        EgressError::Forbidden(_) => "403 Forbidden",
        EgressError::Unreachable(_) => "502 Bad Gateway",
    };
    let text = format!("mgp: {error}\n");
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
        text.len()
    );
    stream.write_all(answer.as_bytes()).await
}
