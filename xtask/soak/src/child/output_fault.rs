//! Broken output, on a signal: like a server that prints to its stdout, or ends in the middle of a message.

use std::io::{self, Write};
use tokio::signal::unix::{SignalKind, signal};

/// A way in which a child's output breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputFault {
    /// Lines that are not messages, between messages.
    Garbage,
    /// The first half of a message with the next message glued to it, which is lost.
    Glued,
    /// The first half of a message, and the end of the process.
    Truncated,
}

const ALL: [OutputFault; 3] = [OutputFault::Garbage, OutputFault::Glued, OutputFault::Truncated];

impl OutputFault {
    /// Returns the name of the signal that causes the break, for `kill`.
    pub(crate) fn signal(self) -> &'static str {
        match self {
            Self::Garbage => "USR1",
            Self::Glued => "HUP",
            Self::Truncated => "USR2",
        }
    }

    fn kind(self) -> SignalKind {
        match self {
            Self::Garbage => SignalKind::user_defined1(),
            Self::Glued => SignalKind::hangup(),
            Self::Truncated => SignalKind::user_defined2(),
        }
    }

    fn bytes(self) -> &'static [u8] {
        match self {
            Self::Garbage => {
                b"starting up...\n{\"jsonrpc\":\"2.0\",\"id\":1\n\xff\xfe\x00\x01\n[]\n{}\n\n{\"jsonrpc\":\"2.0\",\"id\":987654321,\"result\":{}}\n"
            }
            Self::Glued | Self::Truncated => {
                b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"te"
            }
        }
    }
}

/// Breaks the output on each of these signals.
pub(super) fn listen() -> io::Result<()> {
    for broken in ALL {
        let mut signals = signal(broken.kind())?;
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                let mut output = io::stdout();
                let _ = output.write_all(broken.bytes()).and_then(|()| output.flush());
                if broken == OutputFault::Truncated {
                    std::process::exit(3);
                }
            }
        });
    }
    Ok(())
}
