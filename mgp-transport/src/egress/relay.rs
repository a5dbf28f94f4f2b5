//! The bytes between a server and a host.

use std::{
    io,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split};

/// The number of bytes that are read at once.
const PART: usize = 8 * 1024;

/// Copies bytes in both directions until both have ended.
///
/// # Errors
/// Returns the error of a stream, or an error if no byte moves for as long as `idle`.
pub(super) async fn relay<A, B>(server: A, host: B, idle: Duration) -> io::Result<()>
where
    A: AsyncRead + AsyncWrite,
    B: AsyncRead + AsyncWrite,
{
    let ((mut from_server, mut to_server), (mut from_host, mut to_host)) = (split(server), split(host));
    let moved = AtomicU64::new(0);
    let copies = async {
        let out = copy(&mut from_server, &mut to_host, &moved);
        let back = copy(&mut from_host, &mut to_server, &moved);
        tokio::try_join!(out, back).map(drop)
    };
    tokio::select! {
        copied = copies => copied,
        () = quiet(&moved, idle) => Err(io::ErrorKind::TimedOut.into()),
    }
}

async fn copy(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    moved: &AtomicU64,
) -> io::Result<()> {
    let mut part = vec![0; PART];
    loop {
        let length = from.read(&mut part).await?;
        if length == 0 {
            return to.shutdown().await;
        }
        to.write_all(&part[..length]).await?;
        moved.fetch_add(1, Ordering::Relaxed);
    }
}

/// Waits until no byte has moved for a time.
async fn quiet(moved: &AtomicU64, idle: Duration) {
    let mut before = None;
    loop {
        let now = moved.load(Ordering::Relaxed);
        if before == Some(now) {
            return;
        }
        before = Some(now);
        tokio::time::sleep(idle).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::duplex;

    const IDLE: Duration = Duration::from_secs(60);

    #[tokio::test(start_paused = true)]
    async fn a_relay_lasts_while_bytes_move() {
        let ((mut server, near), (mut host, far)) = (duplex(64), duplex(64));
        let relayed = tokio::spawn(relay(near, far, IDLE));
        let start = tokio::time::Instant::now();
        for _ in 0..5 {
            tokio::time::sleep(IDLE * 3 / 4).await;
            server.write_all(b"ask").await.unwrap();
            host.read_exact(&mut [0; 3]).await.unwrap();
        }
        assert!(!relayed.is_finished());
        assert_eq!(relayed.await.unwrap().unwrap_err().kind(), io::ErrorKind::TimedOut);
        let took = start.elapsed();
        assert!(took > IDLE * 4 && took < IDLE * 7, "{took:?}");
        assert_eq!(host.read(&mut [0]).await.unwrap(), 0);
    }

    #[tokio::test]
    async fn each_direction_ends_by_itself() {
        let ((mut server, near), (mut host, far)) = (duplex(64), duplex(64));
        let relayed = tokio::spawn(relay(near, far, IDLE));
        server.write_all(b"last").await.unwrap();
        server.shutdown().await.unwrap();
        let mut text = String::new();
        host.read_to_string(&mut text).await.unwrap();
        host.write_all(b"answer").await.unwrap();
        drop(host);
        server.read_to_string(&mut text).await.unwrap();
        assert_eq!(text, "lastanswer");
        relayed.await.unwrap().unwrap();
    }
}
