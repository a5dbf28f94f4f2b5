//! Hands open files to the process at the other end of a connection.

use super::LocalStream;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use std::{
    io::{self, IoSlice, IoSliceMut},
    mem::MaybeUninit,
    os::fd::{BorrowedFd, OwnedFd},
};
use tokio::io::Interest;

/// The most files that one message carries.
pub const MAX_FILES: usize = 8;

/// The flags of a receipt: children that start at the same time do not inherit the files.
#[cfg(any(target_os = "linux", target_os = "android"))]
const FLAGS: RecvFlags = RecvFlags::CMSG_CLOEXEC;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const FLAGS: RecvFlags = RecvFlags::empty();

impl LocalStream {
    /// Sends bytes, and open files with the first of them. The other side gets descriptors of its own.
    ///
    /// # Errors
    /// Returns `InvalidInput` for more than [`MAX_FILES`] files, `WriteZero` if only a part of the bytes was accepted, or another error of
    /// the system.
    pub async fn send_with_files(&self, bytes: &[u8], files: &[BorrowedFd<'_>]) -> io::Result<()> {
        if files.len() > MAX_FILES {
            let problem = format!("{} files: one message carries at most {MAX_FILES}", files.len());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
        }
        let send = || {
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FILES))];
            let mut ancillary = SendAncillaryBuffer::new(&mut space);
            if !files.is_empty() {
                ancillary.push(SendAncillaryMessage::ScmRights(files));
            }
            Ok(sendmsg(&self.inner, &[IoSlice::new(bytes)], &mut ancillary, SendFlags::empty())?)
        };
        match self.inner.async_io(Interest::WRITABLE, send).await? {
            sent if sent == bytes.len() => Ok(()),
            sent => {
                let problem = format!("{sent} of {} bytes were sent", bytes.len());
                Err(io::Error::new(io::ErrorKind::WriteZero, problem))
            }
        }
    }

    /// Receives bytes into a buffer, and the files that were sent with them. Returns the number of bytes, which is 0 at the end of the stream.
    ///
    /// # Errors
    /// Returns an error of the system.
    pub async fn receive_with_files(&self, buffer: &mut [u8]) -> io::Result<(usize, Vec<OwnedFd>)> {
        let receive = || {
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FILES))];
            let mut ancillary = RecvAncillaryBuffer::new(&mut space);
            let received = recvmsg(&self.inner, &mut [IoSliceMut::new(buffer)], &mut ancillary, FLAGS)?;
            let mut files = Vec::new();
            for message in ancillary.drain() {
                if let RecvAncillaryMessage::ScmRights(sent) = message {
                    files.extend(sent);
                }
            }
            Ok((received.bytes, files))
        };
        self.inner.async_io(Interest::READABLE, receive).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{io::Read, os::fd::AsFd};
    use tokio::net::UnixStream;

    #[tokio::test]
    async fn files_arrive_with_the_bytes_they_were_sent_with() {
        let (here, there) = UnixStream::pair().unwrap();
        let (here, there) = (LocalStream::new(here), LocalStream::new(there));
        let (mut reader, writer) = io::pipe().unwrap();
        here.send_with_files(b"take this", &[writer.as_fd()]).await.unwrap();
        drop(writer);
        here.send_with_files(b"!", &[]).await.unwrap();
        let mut buffer = [0; 9];
        let (count, mut files) = there.receive_with_files(&mut buffer).await.unwrap();
        assert_eq!((&buffer[..count], files.len()), (&b"take this"[..], 1));
        let (count, none) = there.receive_with_files(&mut buffer).await.unwrap();
        assert_eq!((count, none.len()), (1, 0));
        let mut writer = std::fs::File::from(files.remove(0));
        io::Write::write_all(&mut writer, b"through the pipe").unwrap();
        drop(writer);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "through the pipe");
        drop(here);
        assert_eq!(there.receive_with_files(&mut buffer).await.unwrap().0, 0);
    }

    #[tokio::test]
    async fn too_many_files_are_refused() {
        let (here, _there) = UnixStream::pair().unwrap();
        let files = [here.as_fd(); MAX_FILES + 1];
        let error =
            LocalStream::new(UnixStream::pair().unwrap().0).send_with_files(b"x", &files).await.unwrap_err();
        assert_eq!(error.to_string(), "9 files: one message carries at most 8");
    }
}
