//! The messages between a host's process and the gateway: one JSON value a line. The host's process begins with a
//! [`Handover`], together with the host's stdin and stdout.

use mgp_transport::local_socket::LocalStream;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{
    io::{self, ErrorKind},
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::PathBuf,
};

/// The longest message, in bytes.
const MAX_MESSAGE: usize = 16 * 1024;

/// A host whose streams are handed over.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Handover {
    /// The version of the program that the host has started.
    pub(super) version: String,
    /// The agent on whose behalf calls are made.
    pub(super) agent: String,
    /// The host's working directory, if it is known and valid text.
    pub(super) folder: Option<PathBuf>,
}

/// A message of the gateway.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum GatewayMessage {
    /// The host is served.
    Serving,
    /// The gateway takes no more hosts, because it ends or because the host's process is of a later version.
    Leaving,
    /// The session has ended, with an error if answers were lost.
    Ended(Option<String>),
}

/// A message of the host's process after the handover.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ProcessMessage {
    /// A signal asks the process to end.
    Stop,
}

/// A connection that carries messages.
#[derive(Debug)]
pub(super) struct Messages {
    stream: LocalStream,
    /// The bytes that were read and belong to no message yet.
    read: Vec<u8>,
    files: Vec<OwnedFd>,
}

impl Messages {
    pub(super) fn over(stream: LocalStream) -> Self {
        Self { stream, read: Vec::new(), files: Vec::new() }
    }

    /// Sends a message, with files.
    pub(super) async fn send(&self, message: &impl Serialize, files: &[BorrowedFd<'_>]) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        self.stream.send_with_files(&line, files).await
    }

    /// Receives a message; `None` at the end of the connection. Can be cancelled without loss.
    pub(super) async fn receive<T: DeserializeOwned>(&mut self) -> io::Result<Option<T>> {
        loop {
            if let Some(end) = self.read.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.read.drain(..=end).collect();
                return Ok(Some(serde_json::from_slice(&line)?));
            }
            let mut buffer = [0; 512];
            let (count, files) = self.stream.receive_with_files(&mut buffer).await?;
            self.files.extend(files);
            self.read.extend_from_slice(&buffer[..count]);
            if count == 0 {
                return Ok(None);
            }
            if self.read.len() > MAX_MESSAGE {
                let problem = format!("a message has more than {MAX_MESSAGE} bytes");
                return Err(io::Error::new(ErrorKind::InvalidData, problem));
            }
        }
    }

    /// Returns the connection, unless more of a message was read than belongs to it.
    pub(super) fn at_rest(&self) -> Option<BorrowedFd<'_>> {
        self.read.is_empty().then(|| self.stream.as_fd())
    }

    /// Takes the files that came with the messages.
    pub(super) fn take_files(&mut self) -> Vec<OwnedFd> {
        std::mem::take(&mut self.files)
    }

    /// Refuses a connection with a process of another account.
    pub(super) fn is_own(&self) -> io::Result<()> {
        super::place::is_own(&self.stream)
    }
}
