//! A process that is started for the connection.

use super::RawConnection;
use crate::child::ChildCommand;
use std::{io, process::Stdio};

impl RawConnection {
    /// Starts a process and connects to its stdin and stdout. A line that is longer than `max` bytes is skipped.
    ///
    /// # Errors
    /// Returns the error of the operating system, together with the program's name.
    pub async fn child(command: &ChildCommand, max: usize) -> io::Result<Self> {
        let (process, stdin, stdout) = command.spawn(Stdio::piped()).await?;
        Ok(Self { process: Some(process), ..Self::over(stdout, stdin, max) })
    }
}
