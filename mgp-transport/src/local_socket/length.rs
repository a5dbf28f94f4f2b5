//! The limit on the length of a socket's path.

use std::{io, path::Path};

/// The longest path of a socket, in bytes, that every Unix allows.
pub const MAX_PATH: usize = 103;

/// Refuses a path that is too long for a socket.
pub(super) fn check_length(path: &Path) -> io::Result<()> {
    let length = path.as_os_str().len();
    if length <= MAX_PATH {
        return Ok(());
    }
    let problem = format!("{} has {length} bytes, and a socket's path at most {MAX_PATH}", path.display());
    Err(io::Error::new(io::ErrorKind::InvalidFilename, problem))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local_socket::{LocalListener, LocalStream};

    #[tokio::test]
    async fn an_overlong_path_is_named_with_the_limit() {
        let long = Path::new("/tmp").join("a".repeat(MAX_PATH));
        let refused = [LocalListener::bind(&long).map(drop), LocalStream::connect(&long).await.map(drop)];
        for error in refused.map(|refused| refused.unwrap_err().to_string()) {
            assert!(error.ends_with("has 108 bytes, and a socket's path at most 103"), "{error}");
        }
    }
}
