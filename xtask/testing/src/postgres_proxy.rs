//! A connection to PostgreSQL that a test cuts.

use std::{
    io,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy},
    net::{UnixListener, UnixStream},
    sync::watch,
};

/// The name of PostgreSQL's socket in its folder.
const SOCKET: &str = ".s.PGSQL.5432";

/// A relay of a process's connections to PostgreSQL, which cuts them at any message.
#[derive(Debug)]
pub struct PostgresProxy {
    url: String,
    relay: Arc<Relay>,
    _folder: TempDir,
}

#[derive(Debug)]
struct Relay {
    server: PathBuf,
    is_away: watch::Sender<bool>,
    /// The number of messages of the process until its connection is cut.
    left: AtomicI64,
    /// True if the last message is delivered, and only its answer is lost.
    is_delivered: AtomicBool,
}

impl PostgresProxy {
    /// Starts to relay connections to the server of a URL that [`postgres`](crate::postgres) returned.
    ///
    /// # Panics
    /// If the URL does not name a folder with a socket.
    #[must_use]
    pub fn start(url: &str) -> Self {
        let (user, rest) = url.split_once('@').unwrap();
        let (host, path) = rest.split_once('/').unwrap();
        assert!(host.starts_with("%2F"), "{url}: expected the folder of a socket");
        let folder = tempfile::tempdir().unwrap();
        let escaped = folder.path().to_str().unwrap().replace('/', "%2F");
        let relay = Arc::new(Relay {
            server: PathBuf::from(host.replace("%2F", "/")).join(SOCKET),
            is_away: watch::Sender::new(false),
            left: AtomicI64::new(i64::MAX),
            is_delivered: AtomicBool::new(false),
        });
        let listener = UnixListener::bind(folder.path().join(SOCKET)).unwrap();
        tokio::spawn(accept(listener, relay.clone()));
        Self { url: format!("{user}@{escaped}/{path}"), relay, _folder: folder }
    }

    /// Returns the URL by which connections are relayed.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Cuts all connections, and refuses others until this is called with `false`.
    pub fn set_away(&self, is_away: bool) {
        self.relay.is_away.send_replace(is_away);
    }

    /// Cuts a connection at the message after `messages` others. The message is lost, or only its answer if `is_delivered`.
    pub fn cut_after(&self, messages: u32, is_delivered: bool) {
        self.relay.is_delivered.store(is_delivered, Ordering::SeqCst);
        self.relay.left.store(i64::from(messages) + 1, Ordering::SeqCst);
    }

    /// Cuts no connection from now on. Returns whether one was cut, which may also be a connection for other work of the process.
    #[must_use]
    pub fn stop_cutting(&self) -> bool {
        self.relay.left.swap(i64::MAX, Ordering::SeqCst) < 1
    }
}

async fn accept(listener: UnixListener, relay: Arc<Relay>) {
    while let Ok((client, _)) = listener.accept().await {
        if *relay.is_away.borrow() {
            continue;
        }
        let relay = relay.clone();
        tokio::spawn(async move {
            // An end of a connection is what the test is about.
            let _ = relay.run(client).await;
        });
    }
}

impl Relay {
    async fn run(&self, client: UnixStream) -> io::Result<()> {
        let server = UnixStream::connect(&self.server).await?;
        let (mut from_client, mut to_client) = client.into_split();
        let (mut from_server, mut to_server) = server.into_split();
        let mut is_away = self.is_away.subscribe();
        let requests = async {
            let mut buffer = vec![0; 1 << 16];
            loop {
                let read = from_client.read(&mut buffer).await?;
                let message = buffer.get(..read).filter(|message| !message.is_empty());
                let Some(message) = message else { return Ok::<_, io::Error>(()) };
                let is_last = self.left.fetch_sub(1, Ordering::SeqCst) == 1;
                if !is_last || self.is_delivered.load(Ordering::SeqCst) {
                    to_server.write_all(message).await?;
                }
                if is_last {
                    return Ok(());
                }
            }
        };
        tokio::select! {
            ended = requests => ended,
            ended = copy(&mut from_server, &mut to_client) => ended.map(drop),
            _ = is_away.wait_for(|is_away| *is_away) => Ok(()),
        }
    }
}
