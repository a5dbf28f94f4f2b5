//! The commands to a server's supervisor.

use mgp_lifecycle::state::Outlook;
use mgp_types::lifecycle::ShutdownReason;
use parking_lot::Mutex;
use std::time::Duration;
use tokio::sync::mpsc;

/// A command to a server's supervisor.
#[derive(Debug, Clone)]
pub(crate) enum Command {
    /// Stop the server.
    End(EndCommand),
    /// Start the server, if it is not running.
    Start,
}

/// The command to stop a server.
#[derive(Debug, Clone)]
pub(crate) struct EndCommand {
    pub(crate) reason: ShutdownReason,
    /// The time limit for running calls; `None` for the server's own.
    pub(crate) limit: Option<Duration>,
    pub(crate) then: AfterEnd,
}

impl EndCommand {
    /// Returns the outlook of a server that was stopped by this command. `last` is the outlook of a server that stays stopped.
    pub(super) fn outlook(&self, last: Outlook) -> Outlook {
        if self.then == AfterEnd::Start { Outlook::Open } else { last }
    }
}

/// The action after a server's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AfterEnd {
    /// The server is restarted at once.
    Start,
    /// The server stays stopped until the operator starts it.
    Rest,
    /// The supervisor ends, because the server is removed or the kernel stops.
    Leave,
}

/// The maximum number of queued commands.
const COMMANDS: usize = 8;

/// The number of slots that the operator's commands leave for the removal of the server or the kernel's shutdown.
const RESERVED_COMMANDS: usize = 4;

/// The sender of commands to a server's supervisor. A supervisor that has ended ignores them.
#[derive(Debug)]
pub(crate) struct CommandSender {
    sender: mpsc::Sender<Command>,
    /// Held while a slot for a command of the operator is reserved.
    reserving: Mutex<()>,
}

impl CommandSender {
    /// Creates a sender, with the receiver of its commands.
    pub(super) fn new() -> (Self, mpsc::Receiver<Command>) {
        let (sender, received) = mpsc::channel(COMMANDS);
        (Self { sender, reserving: Mutex::default() }, received)
    }

    /// Makes the supervisor stop the server and end. `limit` is the time limit for running calls; `None` for the server's own. A
    /// supervisor that already has the command gets no second one.
    pub(crate) fn stop(&self, reason: ShutdownReason, limit: Option<Duration>) {
        let end = EndCommand { reason, limit, then: AfterEnd::Leave };
        let _ = self.sender.try_send(Command::End(end));
    }

    /// Sends a command, once there is a free slot.
    pub(super) async fn send(&self, command: Command) {
        let _ = self.sender.send(command).await;
    }

    /// Reserves a slot for an operator's command. Returns `None` if too many commands are queued.
    pub(crate) fn reserve(&self) -> Option<mpsc::Permit<'_, Command>> {
        let _turn = self.reserving.lock();
        (self.sender.capacity() > RESERVED_COMMANDS).then(|| self.sender.try_reserve().ok()).flatten()
    }
}

/// The commands to a supervisor, and the stop command that it is to carry out.
pub(super) struct Commands {
    received: mpsc::Receiver<Command>,
    /// The stop command, until the supervisor has carried it out.
    end: Option<EndCommand>,
}

/// The reason why a supervisor stops waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wake {
    /// The server has to be started.
    Start,
    /// The server has to be stopped.
    End,
}

impl Commands {
    pub(super) fn new(received: mpsc::Receiver<Command>) -> Self {
        Self { received, end: None }
    }

    pub(super) fn into_received(self) -> mpsc::Receiver<Command> {
        self.received
    }

    /// Waits for the next command. If the sender is gone, the kernel is, too.
    pub(super) async fn next(&mut self) -> Wake {
        let command = self.received.recv().await.unwrap_or(Command::End(EndCommand {
            reason: ShutdownReason::KernelShutdown,
            limit: None,
            then: AfterEnd::Leave,
        }));
        match command {
            Command::Start => Wake::Start,
            Command::End(end) => {
                // A server that is being removed is not started again.
                if !self.leaves() {
                    self.end = Some(end);
                }
                Wake::End
            }
        }
    }

    /// Waits for the next command, within a time limit.
    pub(super) async fn next_within(&mut self, limit: Duration) -> Option<Wake> {
        tokio::time::timeout(limit, self.next()).await.ok()
    }

    /// Waits for the command to stop a running server.
    pub(super) async fn end(&mut self) -> EndCommand {
        loop {
            if self.next().await == Wake::End
                && let Some(end) = &self.end
            {
                return end.clone();
            }
        }
    }

    /// Takes the action that follows the commanded stop.
    pub(super) fn after_end(&mut self) -> Option<AfterEnd> {
        self.end.take().map(|end| end.then)
    }

    /// Returns the stop command that is not carried out yet.
    pub(super) fn commanded(&self) -> Option<&EndCommand> {
        self.end.as_ref()
    }

    fn leaves(&self) -> bool {
        self.end.as_ref().is_some_and(|end| end.then == AfterEnd::Leave)
    }
}
