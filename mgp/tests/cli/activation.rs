//! `mgp serve --http` on a socket that systemd passes.

use crate::support::User;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    os::fd::OwnedFd,
    process::{Child, Command, Stdio},
};

/// Returns the program as systemd starts it. The shell, which the program replaces, has the same process id.
fn activated(user: &User, socket: impl Into<OwnedFd>, variables: &str, args: &[&str]) -> Child {
    let served = user.command(&[&["serve"], args].concat());
    let mut command = Command::new("sh");
    // The socket comes as stdin, and must be file descriptor 3.
    command.args(["-c", &format!(r#"exec env {variables} "$@" 3<&0 </dev/null"#), "sh"]);
    command.arg(served.get_program()).args(served.get_args());
    command.current_dir(served.get_current_dir().unwrap()).env_clear();
    for (name, value) in served.get_envs() {
        command.env(name, value.unwrap());
    }
    command.stdin(Stdio::from(socket.into())).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

const PASSED: &str = "LISTEN_FDS=1 LISTEN_PID=$$";

fn error_of(child: Child) -> String {
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(3));
    String::from_utf8(ended.stderr).unwrap()
}

#[test]
fn a_passed_socket_is_served_without_an_address() {
    let user = User::of_demo();
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    // The first connection is made before the program runs, as with systemd.
    let mut host = TcpStream::connect(address).unwrap();
    host.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    let mut child = activated(&user, socket, PASSED, &["--http"]);
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains(&format!("http://{address}/mcp"))));
    let mut answer = String::new();
    host.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_socket_that_others_reach_needs_keys() {
    let user = User::of_demo();
    let socket = TcpListener::bind("0.0.0.0:0").unwrap();
    let error = error_of(activated(&user, socket, PASSED, &["--http"]));
    assert!(error.contains("there is no API key"), "{error}");
}

#[test]
fn sockets_that_cannot_be_served_are_named() {
    let user = User::of_demo();
    let socket = || TcpListener::bind("127.0.0.1:0").unwrap();
    for count in ["2", "0", "-1", "18446744073709551616", "x"] {
        let variables = format!("LISTEN_FDS={count} LISTEN_PID=$$");
        let error = error_of(activated(&user, socket(), &variables, &["--http"]));
        assert!(error.contains(&format!("LISTEN_FDS is \"{count}\"")), "{error}");
    }
    let (one, _other) = std::os::unix::net::UnixStream::pair().unwrap();
    let error = error_of(activated(&user, one, PASSED, &["--http"]));
    assert!(error.contains("the socket of LISTEN_FDS cannot be used"), "{error}");
    let listener = socket();
    let connected = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let error = error_of(activated(&user, connected, PASSED, &["--http"]));
    assert!(error.contains("the socket of LISTEN_FDS does not listen"), "{error}");
}

#[test]
fn a_socket_of_another_process_is_not_taken() {
    let user = User::of_demo();
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let ended =
        activated(&user, socket, "LISTEN_FDS=1 LISTEN_PID=1", &["--http"]).wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&ended.stderr).contains("--http needs an address"));
}
