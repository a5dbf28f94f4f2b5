//! The network, and other processes' sockets.

use super::{
    attempt::{Attempt, attempt, depends, for_root},
    calls::{address, call, owned, socket},
};
use crate::{ground::Ground, run::Run};
use std::{
    ffi::{c_int, c_long},
    io::{self, Write},
    net::{Ipv4Addr, Ipv6Addr, TcpListener, TcpStream, UdpSocket},
    os::{
        fd::AsRawFd,
        linux::net::SocketAddrExt,
        unix::net::{SocketAddr, UnixDatagram, UnixListener, UnixStream},
    },
};

pub(super) const ATTEMPTS: &[Attempt] = &[
    attempt("connect by TCP", |ground| {
        TcpStream::connect((Ipv4Addr::LOCALHOST, ground.port))?.write_all(b"secret")
    })
    .opened_by(&[Run::Paths]),
    attempt("connect by TCP over a mapped IPv6 address", |ground| {
        TcpStream::connect((Ipv4Addr::LOCALHOST.to_ipv6_mapped(), ground.port)).map(drop)
    })
    .opened_by(&[Run::Paths]),
    depends("connect by TCP fast open", "net.ipv4.tcp_fastopen may be off", fast_open)
        .opened_by(&[Run::Paths]),
    depends("connect by MPTCP", "the kernel may have none", |_| {
        socket(libc::AF_INET, libc::SOCK_STREAM, libc::IPPROTO_MPTCP).map(drop)
    }),
    attempt("send by UDP", |ground| {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
        socket.send_to(b"secret", (Ipv4Addr::LOCALHOST, ground.port)).map(drop)
    })
    .opened_by(&[Run::Paths]),
    attempt("listen by TCP", |_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map(drop))
        .opened_by(&[Run::Files]),
    depends("listen by TCP over IPv6", "the machine may have none", |_| {
        TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).map(drop)
    })
    .opened_by(&[Run::Files]),
    for_root("open a raw socket", |_| socket(libc::AF_INET, libc::SOCK_RAW, libc::IPPROTO_ICMP).map(drop)),
    depends("open a ping socket", "net.ipv4.ping_group_range may be empty", |_| {
        socket(libc::AF_INET, libc::SOCK_DGRAM, libc::IPPROTO_ICMP).map(drop)
    }),
    for_root("open a packet socket", |_| socket(libc::AF_PACKET, libc::SOCK_RAW, 0).map(drop)),
    attempt("open a netlink socket", |_| socket(libc::AF_NETLINK, libc::SOCK_RAW, 0).map(drop)),
    depends("open a socket of virtual machines", "the kernel may have none", |_| {
        socket(libc::AF_VSOCK, libc::SOCK_STREAM, 0).map(drop)
    }),
    depends("open a socket of the kernel's ciphers", "the kernel may have none", |_| {
        socket(libc::AF_ALG, libc::SOCK_SEQPACKET, 0).map(drop)
    }),
    attempt("connect to a Unix socket", |ground| UnixStream::connect(ground.decoy("stream.sock")).map(drop)),
    attempt("send to a Unix socket", |ground| {
        UnixDatagram::unbound()?.send_to(b"secret", ground.decoy("datagram.sock")).map(drop)
    }),
    attempt("send to a Unix socket from a pair of sockets", |ground| {
        let mut pair: [c_int; 2] = [-1; 2];
        let kind = c_long::from(libc::SOCK_DGRAM);
        let place = (&raw mut pair).addr().cast_signed() as c_long;
        call(libc::SYS_socketpair, &[libc::AF_UNIX.into(), kind, 0, place])?;
        let (one, _other) = (owned(pair[0].into()), owned(pair[1].into()));
        UnixDatagram::from(one).send_to(b"secret", ground.decoy("datagram.sock")).map(drop)
    }),
    attempt("connect to an abstract Unix socket", |ground| {
        let address = SocketAddr::from_abstract_name(&ground.abstract_name)?;
        UnixStream::connect_addr(&address).map(drop)
    }),
    attempt("listen on a Unix socket", |ground| UnixListener::bind(ground.own("own.sock")).map(drop)),
];

fn fast_open(ground: &Ground) -> io::Result<()> {
    let socket = socket(libc::AF_INET, libc::SOCK_STREAM, 0)?;
    let to = libc::sockaddr_in {
        sin_family: libc::AF_INET as u16,
        sin_port: ground.port.to_be(),
        sin_addr: libc::in_addr { s_addr: u32::from(Ipv4Addr::LOCALHOST).to_be() },
        sin_zero: [0; 8],
    };
    let arguments = [
        socket.as_raw_fd().into(),
        address(b"secret"),
        6,
        libc::MSG_FASTOPEN.into(),
        address(&to),
        size_of_val(&to) as c_long,
    ];
    call(libc::SYS_sendto, &arguments).map(drop)
}
