//! The egress proxy. Without one, each attempt connects directly to its host.

use super::attempt::{Attempt, attempt, depends};
use crate::{
    ground::{ALLOWED, Ground},
    run::Run,
};
use std::{
    env,
    io::{self, Read, Write},
    net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream, ToSocketAddrs},
    time::Duration,
};

/// The reason why a host is not reached without the proxy.
const NAMES: &str = "the name exists only for the proxy";

/// The time limit of a connection.
const LIMIT: Duration = Duration::from_secs(15);

pub(super) const ATTEMPTS: &[Attempt] = &[
    attempt("reach an allowed host", |ground| by_connect(ground, &ground.allowed.to_string()))
        .opened_by(&[Run::Hosts, Run::Paths]),
    attempt("reach this machine through the proxy", |ground| by_connect(ground, "127.0.0.1"))
        .opened_by(&[Run::Paths]),
    attempt("reach this machine by a mapped IPv6 address through the proxy", |ground| {
        by_connect(ground, "[::ffff:127.0.0.1]")
    })
    .opened_by(&[Run::Paths]),
    attempt("reach this machine by an address of one number through the proxy", |ground| {
        by_connect(ground, "2130706433")
    })
    .opened_by(&[Run::Paths]),
    attempt("reach this machine by SOCKS5", by_socks).opened_by(&[Run::Paths]),
    attempt("request a URL of this machine", by_request).opened_by(&[Run::Paths]),
    depends("reach a metadata service", "there may be none", |_| {
        open("169.254.169.254", 80, |port| connect("169.254.169.254", port)).map(drop)
    })
    .opened_by(&[Run::Paths]),
    depends("reach a name that is not listed", NAMES, |ground| {
        open("other.test", ground.port, |port| connect("other.test", port)).map(drop)
    }),
    depends("reach a name that leads to this machine", NAMES, |ground| by_connect(ground, "local.test")),
    depends("reach the other address of a name that changes it", NAMES, |ground| {
        (0..6).find_map(|_| by_connect(ground, "changing.test").ok()).ok_or_else(|| io::Error::other("never"))
    }),
];

/// Connects to the proxy and sends it a request, or connects to the host if there is no proxy. Returns the answer, unless it is a
/// refusal of the proxy.
fn open(host: &str, port: u16, request: impl Fn(u16) -> Vec<u8>) -> io::Result<Vec<u8>> {
    let proxy = env::var("HTTPS_PROXY").ok();
    let address = match proxy.as_deref().map(|url| url.trim_start_matches("http://").parse::<SocketAddr>()) {
        Some(address) => address.map_err(io::Error::other)?,
        None => {
            let mut addresses = (host.trim_matches(['[', ']']), port).to_socket_addrs()?;
            addresses.next().ok_or(io::ErrorKind::NotFound)?
        }
    };
    let mut stream = TcpStream::connect_timeout(&address, LIMIT)?;
    stream.set_read_timeout(Some(LIMIT))?;
    if proxy.is_some() {
        stream.write_all(&request(port))?;
        stream.shutdown(Shutdown::Write)?;
    }
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    if answer.starts_with(b"HTTP/1.1 4") || answer.starts_with(b"HTTP/1.1 5") {
        let text = String::from_utf8_lossy(&answer);
        return Err(io::Error::other(text.lines().last().unwrap_or_default().to_owned()));
    }
    Ok(answer)
}

fn connect(host: &str, port: u16) -> Vec<u8> {
    format!("CONNECT {host}:{port} HTTP/1.1\r\n\r\n").into_bytes()
}

/// Reaches the decoy, or the allowed host if that is the requested one.
fn by_connect(ground: &Ground, host: &str) -> io::Result<()> {
    let answer = open(host, ground.port, |port| connect(host, port))?;
    let is_allowed = answer.ends_with(ALLOWED.as_bytes());
    if is_allowed == (host == ground.allowed.to_string()) {
        Ok(())
    } else {
        Err(io::Error::other("the other host answered"))
    }
}

fn by_socks(ground: &Ground) -> io::Result<()> {
    let request = |port: u16| {
        let mut bytes = vec![5, 1, 0, 5, 1, 0, 1];
        bytes.extend(Ipv4Addr::LOCALHOST.octets());
        bytes.extend(port.to_be_bytes());
        bytes
    };
    match open("127.0.0.1", ground.port, request)?[..] {
        [5, 0, 5, 0, ..] | [] => Ok(()),
        ref answer => Err(io::Error::other(format!("{answer:?}"))),
    }
}

fn by_request(ground: &Ground) -> io::Result<()> {
    let request =
        |port| format!("GET http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: allowed.test\r\n\r\n").into_bytes();
    open("127.0.0.1", ground.port, request).map(drop)
}
