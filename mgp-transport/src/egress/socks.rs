//! The proxy's SOCKS5 (RFC 1928), without authentication: connections to hosts.

use super::{destination::Destination, error::EgressError};
use std::{
    io,
    net::{Ipv4Addr, Ipv6Addr},
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// The version, which is the first byte of a greeting.
pub(super) const VERSION: u8 = 5;

const NO_AUTHENTICATION: u8 = 0;
const NO_METHOD: u8 = 0xff;
const CONNECT: u8 = 1;

/// Reads the rest of a greeting, answers it, and reads the request.
pub(super) async fn read_request(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
) -> Result<Destination, EgressError> {
    let mut methods = vec![0; usize::from(stream.read_u8().await?)];
    stream.read_exact(&mut methods).await?;
    if !methods.contains(&NO_AUTHENTICATION) {
        stream.write_all(&[VERSION, NO_METHOD]).await?;
        return Err(EgressError::Malformed("the client wants to authenticate"));
    }
    stream.write_all(&[VERSION, NO_AUTHENTICATION]).await?;
    let mut head = [0; 4];
    stream.read_exact(&mut head).await?;
    let [VERSION, CONNECT, _, kind] = head else {
        return Err(EgressError::Malformed("expected a request to connect"));
    };
    let host = match kind {
        1 => Ipv4Addr::from(stream.read_u32().await?).to_string(),
        3 => {
            let mut name = vec![0; usize::from(stream.read_u8().await?)];
            stream.read_exact(&mut name).await?;
            String::from_utf8(name).map_err(|_| EgressError::Malformed("the host is not text"))?
        }
        4 => Ipv6Addr::from(stream.read_u128().await?).to_string(),
        _ => return Err(EgressError::Malformed("expected a name or an address")),
    };
    Destination::new(&host, stream.read_u16().await?)
}

/// Answers a request once the host is connected.
pub(super) async fn accept(stream: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
    stream.write_all(&answer(0)).await
}

/// Answers a request that is refused.
pub(super) async fn refuse(stream: &mut (impl AsyncWrite + Unpin), error: &EgressError) -> io::Result<()> {
    let code = match error {
        EgressError::Malformed(_) => 1,
        EgressError::Forbidden(_) => 2,
        EgressError::Unreachable(error) if error.kind() == io::ErrorKind::ConnectionRefused => 5,
        EgressError::Unreachable(_) => 4,
    };
    stream.write_all(&answer(code)).await
}

const fn answer(code: u8) -> [u8; 10] {
    [VERSION, code, 0, 1, 0, 0, 0, 0, 0, 0]
}
