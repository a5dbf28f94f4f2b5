//! One TCP connection, kept alive, with one request at a time.

use super::response::Response;
use std::net::SocketAddr;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// The largest response, in bytes.
const LIMIT: usize = 1024 * 1024;

/// One TCP connection.
#[derive(Debug)]
pub(super) struct Connection {
    address: SocketAddr,
    stream: TcpStream,
    input: Vec<u8>,
    response: Response,
}

impl Connection {
    pub(super) async fn open(address: SocketAddr) -> Result<Self, String> {
        let stream = TcpStream::connect(address).await;
        let stream = stream.map_err(|error| format!("failed to connect to {address}: {error}"))?;
        stream.set_nodelay(true).map_err(|error| error.to_string())?;
        Ok(Self { address, stream, input: Vec::with_capacity(4096), response: Response::default() })
    }

    /// Sends a request and waits for the whole response. If the server closed the idle connection, for example during another
    /// contestant's turn, the connection is opened again.
    pub(super) async fn send(&mut self, request: &str) -> Result<&Response, String> {
        if !self.exchange(request).await? {
            *self = Self::open(self.address).await?;
            if !self.exchange(request).await? {
                return Err("the server hung up without a response".to_owned());
            }
        }
        Ok(&self.response)
    }

    /// Sends a request and reads its response. Returns `false` if the connection was closed before the response began.
    async fn exchange(&mut self, request: &str) -> Result<bool, String> {
        if self.stream.write_all(request.as_bytes()).await.is_err() {
            return Ok(false);
        }
        self.input.clear();
        loop {
            let read = match self.stream.read_buf(&mut self.input).await {
                Err(_) if self.input.is_empty() => return Ok(false),
                read => read.map_err(|error| format!("failed to receive: {error}"))?,
            };
            if read == 0 && self.input.is_empty() {
                return Ok(false);
            }
            if read == 0 {
                return Err(format!("the server hung up after {:?}", String::from_utf8_lossy(&self.input)));
            }
            if self.response.read(&self.input)? {
                break;
            }
            if self.input.len() > LIMIT {
                return Err(format!("a response has more than {LIMIT} bytes"));
            }
        }
        if self.response.length < self.input.len() {
            return Err("more came than the response".to_owned());
        }
        Ok(true)
    }
}
