//! The input of a command: stdin, or the text that the console gives it.

use crate::operator::is_elsewhere;
use std::io::{self, Read};
use tokio::task_local;

task_local! {
    /// The input of a command that the console runs.
    static INPUT: String;
}

/// Reads the input of a command, up to a number of bytes. A command for somebody elsewhere never reads the stdin of its process, which is
/// the gateway's.
///
/// # Errors
/// If the input cannot be read or is longer.
pub(crate) fn read_input(max: u64) -> io::Result<Vec<u8>> {
    let given = INPUT.try_with(|input| input.clone().into_bytes()).ok();
    let bytes = match given {
        Some(bytes) => bytes,
        None if is_elsewhere() => return Err(io::Error::other("this command got no input")),
        None => {
            let mut bytes = Vec::new();
            io::stdin().take(max.saturating_add(1)).read_to_end(&mut bytes)?;
            bytes
        }
    };
    if bytes.len() as u64 > max {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("longer than {max} bytes")));
    }
    Ok(bytes)
}

/// Runs a command with a text as its input.
#[cfg(feature = "console")]
pub(crate) async fn with_input<T>(input: String, command: impl Future<Output = T>) -> T {
    INPUT.scope(input, command).await
}

#[cfg(all(test, feature = "console"))]
mod tests {
    use super::*;
    use crate::operator::as_operator;

    #[tokio::test]
    async fn a_command_of_the_console_reads_only_its_own_input() {
        let read = |max| async move { read_input(max).map_err(|error| error.to_string()) };
        let given = as_operator("ann", with_input("abc".to_owned(), read(3))).await;
        assert_eq!(given.unwrap(), b"abc");
        let longer = with_input("abcd".to_owned(), read(3)).await;
        assert_eq!(longer.unwrap_err(), "longer than 3 bytes");
        // The stdin of the process would be the gateway's.
        assert_eq!(as_operator("ann", read(3)).await.unwrap_err(), "this command got no input");
    }
}
