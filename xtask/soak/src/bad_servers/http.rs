//! The bad servers over HTTP: one address for all of them, a path for each.

use super::{
    answer::answer,
    kind::{ALL, BadServer, Kind},
};
use serde_json::Value;
use std::{io, net::SocketAddr, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// The longest request that is read, in bytes.
const MAX_REQUEST: usize = 1024 * 1024;
/// The pause between two events of a flood.
const PAUSE: Duration = Duration::from_millis(1);
/// One event of a flood, as a chunk.
const EVENT: &str =
    "50\r\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/flood\"}\nretry: 1\n\n\r\n";
/// The head of a stream.
const STREAM: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

/// The reaction to a request.
#[derive(Debug, PartialEq, Eq)]
enum Reaction {
    /// An answer in its wire format.
    Answer(String),
    /// The end of the connection.
    Close,
    /// Nothing, until the kernel gives up.
    Silence,
    /// An endless stream of events.
    Flood,
}

/// Listens until the runtime ends. Returns the address.
pub(crate) async fn listen() -> io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream));
        }
    });
    Ok(address)
}

async fn serve(mut stream: TcpStream) -> io::Result<()> {
    let mut bytes = Vec::new();
    while let Some((path, body)) = request(&mut stream, &mut bytes).await? {
        let Some(bad) = ALL.iter().find(|bad| path.strip_prefix('/') == Some(bad.id)) else { return Ok(()) };
        match react(bad, &body) {
            Reaction::Answer(text) => stream.write_all(text.as_bytes()).await?,
            Reaction::Close => return Ok(()),
            Reaction::Silence => {
                while stream.read_buf(&mut bytes).await? > 0 {
                    bytes.clear();
                }
                return Ok(());
            }
            Reaction::Flood => {
                stream.write_all(STREAM.as_bytes()).await?;
                loop {
                    stream.write_all(EVENT.as_bytes()).await?;
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }
    Ok(())
}

/// Reads a request. Returns its path and its body, which is null if it is not JSON; `None` at the end of the connection.
async fn request(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> io::Result<Option<(String, Value)>> {
    loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
            let length = head.lines().filter_map(|line| line.split_once(':'));
            let length = length
                .filter(|(name, _)| name.eq_ignore_ascii_case("content-length"))
                .find_map(|(_, value)| value.trim().parse::<usize>().ok());
            let whole = end + 4 + length.unwrap_or_default().min(MAX_REQUEST);
            if bytes.len() >= whole {
                let body = serde_json::from_slice(&bytes[end + 4..whole]).unwrap_or_default();
                bytes.drain(..whole);
                return Ok(Some((head.split(' ').nth(1).unwrap_or_default().to_owned(), body)));
            }
        }
        if bytes.len() > 2 * MAX_REQUEST || stream.read_buf(bytes).await? == 0 {
            return Ok(None);
        }
    }
}

fn react(bad: &BadServer, body: &Value) -> Reaction {
    let method = body["method"].as_str();
    match (bad.kind, method) {
        (Kind::HttpCloses, _) => Reaction::Close,
        (Kind::HttpSilent, _) => Reaction::Silence,
        (Kind::HttpFails, _) => reply("500 Internal Server Error", "", "it broke"),
        (Kind::HttpUnauthorized, _) => reply("401 Unauthorized", "WWW-Authenticate: Bearer\r\n", ""),
        (Kind::HttpForgets, Some("initialize")) => json(bad, body, "Mcp-Session-Id: forgotten\r\n"),
        (Kind::HttpForgets, _) => reply("400 Bad Request", "", "Bad Request: No valid session ID provided"),
        (_, Some("initialize" | "ping" | "tools/list")) => json(bad, body, ""),
        (_, Some(method)) if method.starts_with("notifications/") => reply("202 Accepted", "", ""),
        _ => Reaction::Flood,
    }
}

fn json(bad: &BadServer, request: &Value, headers: &str) -> Reaction {
    let body = answer(bad, request).unwrap_or_default().to_string();
    reply("200 OK", &format!("Content-Type: application/json\r\n{headers}"), &body)
}

fn reply(status: &str, headers: &str, body: &str) -> Reaction {
    Reaction::Answer(format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_server_over_http_is_bad_in_its_own_way() {
        let to = |kind: Kind, method: &str| {
            let bad = ALL.iter().find(|bad| bad.kind == kind).unwrap();
            react(bad, &json!({"jsonrpc": "2.0", "id": 1, "method": method}))
        };
        let status = |reaction: Reaction| match reaction {
            Reaction::Answer(text) => text["HTTP/1.1 ".len()..][..3].to_owned(),
            other => format!("{other:?}"),
        };
        let all =
            |kind: Kind| ["initialize", "tools/list", "tools/call"].map(|method| status(to(kind, method)));
        assert_eq!(all(Kind::HttpSilent), ["Silence"; 3]);
        assert_eq!(all(Kind::HttpCloses), ["Close"; 3]);
        assert_eq!(all(Kind::HttpFails), ["500"; 3]);
        assert_eq!(all(Kind::HttpUnauthorized), ["401"; 3]);
        assert_eq!(all(Kind::HttpForgets), ["200", "400", "400"]);
        assert_eq!(all(Kind::HttpStream), ["200", "200", "Flood"]);
        assert_eq!(status(to(Kind::HttpStream, "notifications/initialized")), "202");
    }

    #[test]
    fn an_event_of_a_flood_is_a_whole_chunk() {
        let (length, data) = EVENT.split_once("\r\n").unwrap();
        assert_eq!(usize::from_str_radix(length, 16).ok(), data.strip_suffix("\r\n").map(str::len));
    }
}
