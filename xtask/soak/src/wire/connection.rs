//! One TCP connection.

use super::head::{Framing, Head};
use std::{io, net::SocketAddr};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
};

/// The longest head that is read, in bytes.
const MAX_HEAD: usize = 64 * 1024;
/// The longest piece of a body, in bytes.
const MAX_PIECE: usize = 64 * 1024 * 1024;

/// One TCP connection, with the bytes that were read and not yet used.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// The rest of a body that is being read.
#[derive(Debug, Default)]
pub(crate) struct Body(Option<Framing>);

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::new() })
    }

    /// Opens a connection that takes few bytes before its host reads them.
    pub(crate) async fn open_with_buffer(address: SocketAddr, bytes: u32) -> io::Result<Self> {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        socket.set_recv_buffer_size(bytes)?;
        Ok(Self { stream: socket.connect(address).await?, buffer: Vec::new() })
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes).await
    }

    /// Closes with a reset instead of an end (RST).
    pub(crate) fn reset(self) {
        // If that fails, the connection is closed in the usual way, which also cuts the request off.
        let _ = self.stream.set_zero_linger();
    }

    /// Reads the head of the next answer, and returns it with the answer's body.
    pub(crate) async fn head(&mut self) -> io::Result<(Head, Body)> {
        loop {
            if let Some(end) = find(&self.buffer, b"\r\n\r\n") {
                let bytes: Vec<u8> = self.buffer.drain(..end + 4).collect();
                let text = String::from_utf8_lossy(bytes.get(..end).unwrap_or_default());
                let head = Head::parse(&text).ok_or_else(|| invalid("an invalid head"))?;
                let body = match head.framing {
                    Framing::Length(0) => Body(None),
                    framing => Body(Some(framing)),
                };
                return Ok((head, body));
            }
            if self.buffer.len() > MAX_HEAD {
                return Err(invalid("an endless head"));
            }
            self.fill().await?;
        }
    }

    /// Reads the next piece of a body, or returns `None` at its end.
    pub(crate) async fn piece(&mut self, body: &mut Body) -> io::Result<Option<Vec<u8>>> {
        let Some(framing) = body.0 else { return Ok(None) };
        match framing {
            Framing::Length(length) => {
                body.0 = None;
                Ok(Some(self.exactly(length).await?))
            }
            Framing::Chunked => {
                let length = self.chunk_length().await?;
                let mut piece = self.exactly(length + 2).await?;
                piece.truncate(length);
                if length == 0 {
                    body.0 = None;
                    return Ok(None);
                }
                Ok(Some(piece))
            }
        }
    }

    async fn chunk_length(&mut self) -> io::Result<usize> {
        loop {
            if let Some(end) = find(&self.buffer, b"\r\n") {
                let line: Vec<u8> = self.buffer.drain(..end + 2).collect();
                let text = String::from_utf8_lossy(line.get(..end).unwrap_or_default()).into_owned();
                return usize::from_str_radix(text.trim(), 16).map_err(|_| invalid("a chunk without length"));
            }
            self.fill().await?;
        }
    }

    async fn exactly(&mut self, length: usize) -> io::Result<Vec<u8>> {
        if length > MAX_PIECE {
            return Err(invalid("a piece that is too long"));
        }
        while self.buffer.len() < length {
            self.fill().await?;
        }
        Ok(self.buffer.drain(..length).collect())
    }

    async fn fill(&mut self) -> io::Result<()> {
        self.buffer.reserve(16 * 1024);
        if self.stream.read_buf(&mut self.buffer).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("invalid HTTP: {what}"))
}
