//! The keyring of the operating system: the Secret Service, the Keychain, or the Credential Manager.

use keyring::{Entry, Error};
use std::{
    env,
    io::{self, ErrorKind},
    path::Path,
    sync::mpsc,
    thread,
    time::Duration,
};

/// The time limit for an answer of the keyring.
const LIMIT: Duration = Duration::from_secs(5);

/// The name under which the keyring shows our keys.
const SERVICE: &str = "mgp";

/// The variable that turns the keyring off, with the value `off`.
const VARIABLE: &str = "MGP_KEYRING";

/// Reads the key that belongs to a file.
pub(super) fn read(file: &Path) -> io::Result<Vec<u8>> {
    within_limit(file, Entry::get_secret)
}

/// Writes the key that belongs to a file.
pub(super) fn write(file: &Path, key: &[u8]) -> io::Result<()> {
    let key = key.to_vec();
    within_limit(file, move |entry| entry.set_secret(&key))
}

/// Uses the entry of a file, on another thread: the keyring may wait for its user.
fn within_limit<R: Send + 'static>(
    file: &Path,
    use_entry: impl FnOnce(&Entry) -> Result<R, Error> + Send + 'static,
) -> io::Result<R> {
    if env::var_os(VARIABLE).is_some_and(|value| value == "off") {
        return Err(io::Error::other(format!("the keyring is off ({VARIABLE})")));
    }
    let name = file.to_string_lossy().into_owned();
    let (send, answer) = mpsc::channel();
    thread::spawn(move || send.send(Entry::new(SERVICE, &name).and_then(|entry| use_entry(&entry))));
    match answer.recv_timeout(LIMIT) {
        Ok(Ok(result)) => Ok(result),
        Ok(Err(Error::NoEntry)) => Err(io::Error::new(ErrorKind::NotFound, "the keyring does not have it")),
        Ok(Err(Error::NoDefaultStore)) => Err(io::Error::other("this session has no keyring")),
        Ok(Err(error)) => Err(io::Error::other(format!("the keyring is not available: {error}"))),
        Err(_) => {
            let problem = format!("the keyring did not answer within {LIMIT:?}: unlock it, and try again");
            Err(io::Error::new(ErrorKind::TimedOut, problem))
        }
    }
}
