//! A browser as the console sees it: a session, requests and a stream of events.

use std::{net::SocketAddr, path::Path, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    process::Command,
    time::Instant,
};

/// A signed-in browser.
#[derive(Debug, Clone)]
pub(super) struct Browser {
    address: SocketAddr,
    cookie: String,
}

/// A page as it was answered.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: String,
    pub(super) took: Duration,
}

impl Browser {
    /// Asks `mgp console` for an address, and signs in there.
    pub(super) async fn sign_in(program: &Path, config: &Path, state: &Path) -> Result<Self, String> {
        let mut command = Command::new(program);
        command.args(["console", "--print", "--config"]).arg(config).arg("--state-dir").arg(state);
        let output = command.env_remove("MGP_STORE_URL").output().await.map_err(|error| error.to_string())?;
        let printed = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let (origin, token) = printed
            .split_once("/sign-in#")
            .ok_or_else(|| format!("mgp console: {}", String::from_utf8_lossy(&output.stderr)))?;
        let host = origin.strip_prefix("http://").unwrap_or(origin);
        let address = host.parse().map_err(|_| format!("{host:?} is not an address"))?;
        let form = format!("token={token}");
        let head = format!(
            "POST /sign-in HTTP/1.1\r\norigin: {origin}\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n",
            form.len()
        );
        let page = exchange(address, &head, &form).await?;
        let cookie = page.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")?.split(';').next());
        let cookie = cookie.ok_or_else(|| format!("no session was opened: {} {}", page.status, page.body))?;
        Ok(Self { address, cookie: cookie.to_owned() })
    }

    /// Reads a page to its end.
    pub(super) async fn get(&self, path: &str) -> Result<Page, String> {
        exchange(self.address, &format!("GET {path} HTTP/1.1\r\ncookie: {}\r\n", self.cookie), "").await
    }

    /// Reads a stream of events until it ends.
    pub(super) async fn follow(&self, path: &str) -> Result<(), String> {
        let mut stream = TcpStream::connect(self.address).await.map_err(|error| error.to_string())?;
        let head =
            format!("GET {path} HTTP/1.1\r\nhost: {}\r\ncookie: {}\r\n\r\n", self.address, self.cookie);
        stream.write_all(head.as_bytes()).await.map_err(|error| error.to_string())?;
        let mut buffer = vec![0; 64 * 1024];
        while stream.read(&mut buffer).await.map_err(|error| error.to_string())? > 0 {}
        Ok(())
    }
}

/// Sends a request on a new connection, and reads the whole answer.
async fn exchange(address: SocketAddr, head: &str, body: &str) -> Result<Page, String> {
    let began = Instant::now();
    let failed = |error: std::io::Error| format!("{}: {error}", head.lines().next().unwrap_or_default());
    let mut stream = TcpStream::connect(address).await.map_err(failed)?;
    let request = format!("{head}host: {address}\r\nconnection: close\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).await.map_err(failed)?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.map_err(failed)?;
    let took = began.elapsed();
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
    Ok(Page { status, head: head.to_owned(), body: body.to_owned(), took })
}
