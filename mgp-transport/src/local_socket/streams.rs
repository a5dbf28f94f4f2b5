//! The streams of another process, read and written through descriptors that it has handed over.

use rustix::fs::{FileType, fstat};
use std::{io, os::fd::OwnedFd};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{UnixStream, unix::pipe},
};
use tokio_util::either::Either;

/// Returns whether a file can be read and written by [`reader`] and [`writer`]: a pipe or a socket. Others, such as terminals, make their readers
/// wait in the system.
///
/// # Errors
/// Returns an error if the system does not reveal the kind of the file.
pub fn is_stream(file: impl std::os::fd::AsFd) -> io::Result<bool> {
    Ok(matches!(FileType::from_raw_mode(fstat(file)?.st_mode), FileType::Fifo | FileType::Socket))
}

/// Returns a reader of a pipe or a socket. From then on the file does not block, for every process that shares it.
///
/// # Errors
/// Returns `InvalidInput` for a file of another kind or one that cannot be read, or an error of the system.
pub fn reader(file: OwnedFd) -> io::Result<impl AsyncRead + Send + Unpin + 'static> {
    Ok(match is_socket(&file)? {
        true => Either::Right(socket(file)?),
        false => Either::Left(pipe::Receiver::from_owned_fd(file)?),
    })
}

/// Returns a writer to a pipe or a socket, like [`reader`].
///
/// # Errors
/// Returns `InvalidInput` for a file of another kind or one that cannot be written, or an error of the system.
pub fn writer(file: OwnedFd) -> io::Result<impl AsyncWrite + Send + Unpin + 'static> {
    Ok(match is_socket(&file)? {
        true => Either::Right(socket(file)?),
        false => Either::Left(pipe::Sender::from_owned_fd(file)?),
    })
}

fn is_socket(file: &OwnedFd) -> io::Result<bool> {
    Ok(FileType::from_raw_mode(fstat(file)?.st_mode) == FileType::Socket)
}

fn socket(file: OwnedFd) -> io::Result<UnixStream> {
    let stream = std::os::unix::net::UnixStream::from(file);
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    #[tokio::test]
    async fn pipes_and_sockets_are_read_and_written() {
        let (near, far) = io::pipe().unwrap();
        let (one, other) = std::os::unix::net::UnixStream::pair().unwrap();
        for (near, far) in [(OwnedFd::from(near), OwnedFd::from(far)), (one.into(), other.into())] {
            assert!(is_stream(&near).unwrap());
            let (mut near, mut far) = (reader(near).unwrap(), writer(far).unwrap());
            far.write_all(b"hello").await.unwrap();
            drop(far);
            let mut text = String::new();
            near.read_to_string(&mut text).await.unwrap();
            assert_eq!(text, "hello");
        }
    }

    #[tokio::test]
    async fn a_file_of_another_kind_is_refused() {
        let file = || OwnedFd::from(std::fs::File::open("/dev/null").unwrap());
        assert!(!is_stream(file()).unwrap());
        assert!(reader(file()).is_err() && writer(file()).is_err());
    }
}
