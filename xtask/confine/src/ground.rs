//! The files, processes and sockets that the hostile program targets, all made for one run.

use std::{
    env, fs,
    io::{self, Write},
    net::{Ipv4Addr, TcpListener, UdpSocket},
    os::{
        fd::AsRawFd,
        linux::net::SocketAddrExt,
        unix::net::{SocketAddr, UnixDatagram, UnixListener},
    },
    path::{Path, PathBuf},
    process::{Child, Command, ExitCode},
    thread,
    time::Duration,
};

/// The content of every decoy. The hostile program went through if it read this.
pub(crate) const SECRET: &str = "decoy-secret";

/// A file that is made after the hostile program has started, next to a user's secrets.
pub(crate) const LATE: &str = "home/late";

/// The answer of the host that the hostile program may reach.
pub(crate) const ALLOWED: &str = "allowed host";

/// The names of the hostile program's targets, passed to it as one text.
#[derive(Debug, Clone)]
pub(crate) struct Ground {
    /// The folder of the decoys, which no server may use.
    pub(crate) decoys: PathBuf,
    /// The folder that the hostile program may write.
    pub(crate) private: PathBuf,
    /// The process that the hostile program targets.
    pub(crate) victim: i32,
    /// The port of a TCP listener and of a UDP socket on the loopback address, and of the allowed host.
    pub(crate) port: u16,
    /// The address of the host that the hostile program may reach through the proxy.
    pub(crate) allowed: Ipv4Addr,
    /// The name of an abstract Unix socket.
    pub(crate) abstract_name: String,
}

impl Ground {
    pub(crate) fn to_text(&self) -> String {
        let Self { decoys, private, victim, port, allowed, abstract_name } = self;
        format!("{}|{}|{victim}|{port}|{allowed}|{abstract_name}", decoys.display(), private.display())
    }

    pub(crate) fn of_text(text: &str) -> Option<Self> {
        let mut parts = text.split('|');
        Some(Self {
            decoys: parts.next()?.into(),
            private: parts.next()?.into(),
            victim: parts.next()?.parse().ok()?,
            port: parts.next()?.parse().ok()?,
            allowed: parts.next()?.parse().ok()?,
            abstract_name: parts.next()?.into(),
        })
    }

    /// Returns the path of a decoy.
    pub(crate) fn decoy(&self, name: &str) -> PathBuf {
        self.decoys.join(name)
    }

    pub(crate) fn own(&self, name: &str) -> PathBuf {
        self.private.join(name)
    }
}

/// The owner of the targets of a ground. Dropping it ends the victim.
#[derive(Debug)]
pub(crate) struct Owner {
    pub(crate) ground: Ground,
    victim: Child,
    _folder: tempfile::TempDir,
    _sockets: (UnixListener, UnixDatagram, UnixListener),
    _inherited: [fs::File; 2],
}

impl Owner {
    pub(crate) fn new() -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let (decoys, private) = (folder.path().join("decoys"), folder.path().join("private"));
        fs::create_dir_all(decoys.join("home/.ssh"))?;
        for folder in ["state", "project", "given/read", "given/write"] {
            fs::create_dir_all(decoys.join(folder))?;
        }
        fs::create_dir_all(&private)?;
        for name in [
            "home/.ssh/id_test",
            "home/notes",
            "state/audit.db",
            "project/mgp.toml",
            "given/read/file",
            "given/neighbour",
            "to_write",
            "to_remove",
            "to_move",
            "to_change",
        ] {
            fs::write(decoys.join(name), SECRET)?;
        }
        let victim = Command::new(env::current_exe()?).arg("victim").env("VICTIM", SECRET).spawn()?;
        let tcp = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = tcp.local_addr()?.port();
        let udp = UdpSocket::bind((Ipv4Addr::LOCALHOST, port))?;
        let abstract_name = format!("mgp-confine-{}", victim.id());
        let abstract_address = SocketAddr::from_abstract_name(&abstract_name)?;
        let sockets = (
            UnixListener::bind(decoys.join("stream.sock"))?,
            UnixDatagram::bind(decoys.join("datagram.sock"))?,
            UnixListener::bind_addr(&abstract_address)?,
        );
        let allowed = Ipv4Addr::new(127, 0, 0, 2);
        let allowed_host = TcpListener::bind((allowed, port))?;
        thread::spawn(move || tcp.incoming().for_each(drop));
        thread::spawn(move || {
            for stream in allowed_host.incoming().flatten() {
                let _ = (&stream).write_all(ALLOWED.as_bytes());
            }
        });
        thread::spawn(move || while udp.recv(&mut [0; 64]).is_ok() {});
        let inherited = [fs::File::open(&decoys)?, fs::File::open(decoys.join("home/notes"))?];
        inherited.iter().try_for_each(keep_on_exec)?;
        let victim_id = i32::try_from(victim.id()).map_err(io::Error::other)?;
        let ground = Ground { decoys, private, victim: victim_id, port, allowed, abstract_name };
        Ok(Self { ground, victim, _folder: folder, _sockets: sockets, _inherited: inherited })
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let _ = self.victim.kill();
        let _ = self.victim.wait();
    }
}

/// Lets the programs that this process starts inherit a file, as a careless program does.
#[expect(unsafe_code, reason = "the standard library opens every file so that it is not inherited")]
fn keep_on_exec(file: &fs::File) -> io::Result<()> {
    // SAFETY: the descriptor is open.
    if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFD, 0) } < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

/// Does nothing until it is killed.
pub(crate) fn be_victim() -> ExitCode {
    thread::sleep(Duration::from_secs(600));
    ExitCode::SUCCESS
}

/// Returns an error if a text is not the secret.
pub(crate) fn is_secret(text: &str) -> io::Result<()> {
    if text.contains(SECRET) { Ok(()) } else { Err(io::Error::other("not the secret")) }
}

/// Reads a file that holds the secret.
pub(crate) fn read_secret(path: impl AsRef<Path>) -> io::Result<()> {
    is_secret(&String::from_utf8_lossy(&fs::read(path)?))
}
