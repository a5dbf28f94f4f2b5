//! Tests of the proxy, whose only hosts are listeners on this machine.

use super::{EgressProxy, ResolveHost};
use crate::seam::{EgressObserver, EgressTask, ServeEgress};
use parking_lot::Mutex;
use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// A resolver for which every name leads to these addresses in turn, one for each look-up.
struct Turns {
    addresses: Vec<IpAddr>,
    asked: AtomicUsize,
}

#[async_trait::async_trait]
impl ResolveHost for Arc<Turns> {
    async fn resolve(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        let turn = self.asked.fetch_add(1, Ordering::Relaxed);
        Ok(vec![self.addresses[turn % self.addresses.len()]])
    }
}

/// The reasons of refusals.
#[derive(Debug, Clone, Default)]
struct Reasons(Arc<Mutex<Vec<String>>>);

#[async_trait::async_trait]
impl EgressObserver for Reasons {
    async fn refused(&self, server_id: &str, host: &str, reason: &str) {
        assert!(server_id == "s" && reason.contains(host), "{host}: {reason}");
        self.0.lock().push(reason.to_owned());
    }
}

struct Rig {
    proxy: SocketAddr,
    /// The port of a host that echoes, on 127.0.0.1 and 127.0.0.2.
    port: u16,
    resolver: Arc<Turns>,
    reasons: Reasons,
    serving: Option<EgressTask>,
    _hosts: tokio::task::JoinSet<()>,
}

impl Rig {
    /// Starts a proxy with rules in which `{port}` is the port of the host.
    async fn new(rules: &[&str], addresses: &[&str]) -> Self {
        Self::with(rules, addresses, |egress| egress).await
    }

    async fn with(rules: &[&str], addresses: &[&str], set: impl FnOnce(EgressProxy) -> EgressProxy) -> Self {
        let host = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = host.local_addr().unwrap().port();
        let other = TcpListener::bind(("127.0.0.2", port)).await.unwrap();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = listener.local_addr().unwrap();
        let addresses = addresses.iter().map(|address| address.parse().unwrap()).collect();
        let resolver = Arc::new(Turns { addresses, asked: AtomicUsize::new(0) });
        let rules = rules.iter().map(|rule| rule.replace("{port}", &port.to_string()).parse().unwrap());
        let reasons = Reasons::default();
        let egress = set(EgressProxy::new().resolver(resolver.clone()).observer(reasons.clone()));
        let serving = egress.serve("s", &rules.collect::<Vec<_>>(), listener.into()).unwrap();
        let mut hosts = tokio::task::JoinSet::new();
        for host in [host, other] {
            hosts.spawn(async move {
                while let Ok((mut stream, at)) = host.accept().await {
                    let _ = stream.write_all(format!("{} ", at.ip()).as_bytes()).await;
                    tokio::spawn(async move {
                        let (mut from, mut to) = stream.split();
                        let _ = tokio::io::copy(&mut from, &mut to).await;
                    });
                }
            });
        }
        Self { proxy, port, resolver, reasons, serving: Some(serving), _hosts: hosts }
    }

    /// Sends bytes to the proxy, and returns everything that comes back.
    async fn send(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.proxy).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        String::from_utf8_lossy(&answer).into_owned()
    }

    async fn connect(&self, host: &str) -> String {
        let port = self.port;
        self.send(format!("CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\nhello").as_bytes())
            .await
    }

    async fn socks(&self, kind: u8, host: &[u8]) -> Vec<u8> {
        let mut bytes = vec![5, 1, 0, 5, 1, 0, kind];
        bytes.extend_from_slice(host);
        bytes.extend_from_slice(&self.port.to_be_bytes());
        bytes.extend_from_slice(b"hello");
        let mut stream = TcpStream::connect(self.proxy).await.unwrap();
        stream.write_all(&bytes).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        answer
    }

    fn refused(&self) -> Vec<String> {
        self.reasons.0.lock().clone()
    }
}

#[tokio::test]
async fn allowed_hosts_are_reached_by_connect_request_and_socks() {
    let rig = Rig::new(&["allowed.test:{port}", "127.0.0.0/8"], &["127.0.0.1"]).await;
    let tunnel = rig.connect("Allowed.test.").await;
    assert!(tunnel.starts_with("HTTP/1.1 200") && tunnel.ends_with("hello"), "{tunnel}");
    let request = format!(
        "POST http://allowed.test:{}/a?b HTTP/1.1\r\nHost: allowed.test\r\nProxy-Connection: x\r\nConnection: keep-alive\r\n\r\nbody",
        rig.port
    );
    let echo = rig.send(request.as_bytes()).await;
    let sent = "POST /a?b HTTP/1.1\r\nHost: allowed.test\r\nConnection: close\r\n\r\nbody";
    assert!(echo.ends_with(sent), "{echo}");
    for (kind, host) in [
        (3, &b"\x0callowed.test"[..]),
        (1, &[127, 0, 0, 2]),
        (4, &{
            let mut mapped = [0; 16];
            mapped[10..].copy_from_slice(&[0xff, 0xff, 127, 0, 0, 1]);
            mapped
        }),
    ] {
        let answer = rig.socks(kind, host).await;
        assert!(answer.starts_with(&[5, 0, 5, 0]) && answer.ends_with(b"hello"), "{kind}: {answer:?}");
    }
    assert!(rig.refused().is_empty());
}

#[tokio::test]
async fn a_forbidden_host_is_refused_before_any_lookup() {
    let rig = Rig::new(&["allowed.test", "127.0.0.2"], &["127.0.0.2"]).await;
    for host in ["other.test", "allowed.test.other", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "2130706433"]
    {
        let answer = rig.connect(host).await;
        assert!(answer.starts_with("HTTP/1.1 403"), "{host}: {answer}");
        assert!(answer.contains("not among the hosts that this server may reach"), "{host}: {answer}");
    }
    assert_eq!(rig.socks(1, &[127, 0, 0, 1]).await[..4], [5, 0, 5, 2]);
    assert_eq!((rig.resolver.asked.load(Ordering::Relaxed), rig.refused().len()), (0, 7));
}

#[tokio::test]
async fn the_public_rule_excludes_local_and_metadata_addresses() {
    for address in
        ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "fd00:ec2::254", "::ffff:169.254.169.254"]
    {
        let rig = Rig::new(&["*"], &[address]).await;
        let by_name = rig.connect("name.test").await;
        assert!(
            by_name.starts_with("HTTP/1.1 403") && by_name.contains("not listed as an address"),
            "{by_name}"
        );
        let literal = if address.contains(':') { format!("[{address}]") } else { address.to_owned() };
        assert!(rig.connect(&literal).await.starts_with("HTTP/1.1 403"), "{address}");
        assert_eq!(rig.refused().len(), 2, "{address}");
    }
}

#[tokio::test]
async fn this_machine_s_public_address_is_refused_unless_listed() {
    // Nobody is there if it is not refused.
    let public = "2606:4700::9";
    let own = |egress| EgressProxy { is_own: |_| true, ..egress };
    let rig = Rig::with(&["*", "name.test"], &[public], own).await;
    for host in ["name.test", "[2606:4700::9]"] {
        let answer = rig.connect(host).await;
        assert!(answer.starts_with("HTTP/1.1 403") && answer.contains("which is this machine"), "{answer}");
    }
    assert_eq!(rig.refused().len(), 2);
    let listed = Rig::with(&["127.0.0.0/8"], &[], own).await;
    assert!(listed.connect("127.0.0.1").await.ends_with("hello"));
}

#[tokio::test]
async fn a_head_is_found_however_its_bytes_arrive() {
    let rig = Rig::new(&["127.0.0.1"], &[]).await;
    let request = format!("CONNECT 127.0.0.1:{} HTTP/1.1\r\nHost: x\r\n\r\nhello", rig.port);
    let mut stream = TcpStream::connect(rig.proxy).await.unwrap();
    stream.set_nodelay(true).unwrap();
    for byte in request.bytes() {
        stream.write_all(&[byte]).await.unwrap();
        tokio::task::yield_now().await;
    }
    stream.shutdown().await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("hello"), "{answer}");
}

#[tokio::test]
async fn a_name_is_looked_up_once_and_its_address_is_fixed() {
    let rig = Rig::new(&["changing.test", "127.0.0.2"], &["127.0.0.2", "127.0.0.1"]).await;
    assert!(rig.connect("changing.test").await.ends_with("hello"));
    assert_eq!(rig.resolver.asked.load(Ordering::Relaxed), 1);
    assert!(rig.connect("changing.test").await.starts_with("HTTP/1.1 403"));
    assert_eq!(rig.resolver.asked.load(Ordering::Relaxed), 2);
    assert!(rig.refused()[0].contains("changing.test"), "{:?}", rig.refused());
}

#[tokio::test]
async fn an_invalid_request_is_answered_and_reaches_nothing() {
    let rig = Rig::new(&["*", "127.0.0.0/8"], &["127.0.0.1"]).await;
    for request in [
        "GET / HTTP/1.1\r\n\r\n",
        "GET https://allowed.test/ HTTP/1.1\r\n\r\n",
        "GET http://ann:pw@allowed.test/ HTTP/1.1\r\n\r\n",
        "CONNECT allowed.test HTTP/1.1\r\n\r\n",
        "CONNECT\r\n\r\n",
        "CONNECT a b c d\r\n\r\n",
        "x",
    ] {
        let answer = rig.send(request.as_bytes()).await;
        assert!(answer.starts_with("HTTP/1.1 400"), "{request:?}: {answer}");
    }
    let long = format!("GET http://allowed.test/{} HTTP/1.1\r\n", "x".repeat(100_000));
    assert!(!rig.send(long.as_bytes()).await.contains("200"));
    assert_eq!(rig.send(&[5, 1, 2]).await.as_bytes()[0], 5);
    assert_eq!(rig.socks(9, &[]).await[..4], [5, 0, 5, 1]);
    assert_eq!(rig.resolver.asked.load(Ordering::Relaxed), 0);
    // A host that is allowed and does not answer is no refusal.
    let closed = rig.send(b"CONNECT 127.0.0.3:1 HTTP/1.1\r\n\r\n").await;
    assert!(closed.starts_with("HTTP/1.1 502"), "{closed}");
    assert!(rig.refused().is_empty());
}

#[tokio::test]
async fn connections_end_when_the_server_is_dropped() {
    let mut rig = Rig::new(&["127.0.0.1"], &["127.0.0.1"]).await;
    let mut stream = TcpStream::connect(rig.proxy).await.unwrap();
    let request = format!("CONNECT 127.0.0.1:{} HTTP/1.1\r\n\r\n", rig.port);
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut first = [0; 12];
    stream.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    drop(rig.serving.take());
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest).await;
    assert!(TcpStream::connect(rig.proxy).await.is_err());
}
