//! The streams of a host in the process that it has started.
//!
//! A pipe or a socket is handed over itself. Anything else, such as a terminal or a file, is copied, because its readers wait in the kernel of the
//! system, or share it with other programs.

use mgp_transport::local_socket::is_stream;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    thread::{self, JoinHandle},
};

/// The stdin and stdout of this process, ready to be handed over.
#[derive(Debug)]
pub(super) struct OwnStreams {
    input: OwnStream,
    output: OwnStream,
    /// The copying of stdout, which ends when the gateway closes its end.
    copying: Option<JoinHandle<()>>,
}

#[derive(Debug)]
enum OwnStream {
    /// The stream itself, and its flags before the gateway changes them.
    Itself(OwnedFd, OFlags),
    /// The gateway's end of a copy.
    Copy(OwnedFd),
}

impl OwnStreams {
    /// Takes the stdin and stdout of this process.
    ///
    /// # Errors
    /// If the system gives no copy of a descriptor, or no thread.
    pub(super) fn take() -> io::Result<Self> {
        let input = match own(io::stdin().as_fd())? {
            Some(itself) => itself,
            None => {
                let (reader, mut writer) = io::pipe()?;
                thread::Builder::new().name("mgp-stdin".to_owned()).spawn(move || {
                    // The gateway reads the end when the writer is dropped.
                    let _ = io::copy(&mut io::stdin(), &mut writer);
                })?;
                OwnStream::Copy(reader.into())
            }
        };
        let (output, copying) = match own(io::stdout().as_fd())? {
            Some(itself) => (itself, None),
            None => {
                let (mut reader, writer) = io::pipe()?;
                let copying = thread::Builder::new().name("mgp-stdout".to_owned()).spawn(move || {
                    // If nobody reads stdout, the gateway gets a broken pipe.
                    let _ = io::copy(&mut reader, &mut io::stdout());
                })?;
                (OwnStream::Copy(writer.into()), Some(copying))
            }
        };
        Ok(Self { input, output, copying })
    }

    /// Takes streams that an earlier program of this process has handed over. The flags are those before that.
    ///
    /// # Errors
    /// If the system gives no copy of a descriptor.
    pub(super) fn handed_over(flags: [u32; 2]) -> io::Result<Self> {
        let [input, output] = flags.map(OFlags::from_bits_retain);
        let input = OwnStream::Itself(io::stdin().as_fd().try_clone_to_owned()?, input);
        let output = OwnStream::Itself(io::stdout().as_fd().try_clone_to_owned()?, output);
        Ok(Self { input, output, copying: None })
    }

    /// Returns the flags of both streams before the handover; `None` if this process copies one of them.
    pub(super) fn flags(&self) -> Option<[u32; 2]> {
        match [&self.input, &self.output] {
            [OwnStream::Itself(_, input), OwnStream::Itself(_, output)] => {
                Some([input.bits(), output.bits()])
            }
            _ => None,
        }
    }

    /// Returns the files to hand over: the host's input to the gateway, and the gateway's output.
    pub(super) fn files(&self) -> [BorrowedFd<'_>; 2] {
        [&self.input, &self.output].map(|stream| match stream {
            OwnStream::Itself(file, _) | OwnStream::Copy(file) => file.as_fd(),
        })
    }

    /// Waits until everything is copied, and gives the streams back as they were.
    pub(super) fn end(self) {
        for stream in [self.input, self.output] {
            if let OwnStream::Itself(file, flags) = stream {
                // A program that shares the stream could not read a stream that does not block.
                let _ = fcntl_setfl(&file, flags);
            }
        }
        if let Some(copying) = self.copying {
            let _ = copying.join();
        }
    }
}

/// Returns a stream that can be handed over; `None` if it must be copied.
fn own(file: BorrowedFd<'_>) -> io::Result<Option<OwnStream>> {
    Ok(match is_stream(file)? {
        true => Some(OwnStream::Itself(file.try_clone_to_owned()?, fcntl_getfl(file)?)),
        false => None,
    })
}
