//! The writing of a spool.

use super::{CHUNK, Spool, nonce::nonce};
use ring::{
    aead::{Aad, CHACHA20_POLY1305, LessSafeKey, UnboundKey},
    digest,
    rand::{SecureRandom, SystemRandom},
};
use std::{
    fmt,
    fs::File,
    io::{self, Write},
    path::Path,
};

/// A spool that is being written.
pub struct SpoolWriter {
    file: File,
    key: LessSafeKey,
    hash: digest::Context,
    /// The bytes that are not encrypted yet.
    rest: Vec<u8>,
    chunks: u64,
    length: u64,
}

impl SpoolWriter {
    /// Creates an empty spool in a folder, or in the system's folder of temporary files.
    ///
    /// # Errors
    /// Those of the file, and of the system's source of random bytes.
    pub fn create(folder: Option<&Path>) -> io::Result<Self> {
        let file = match folder {
            Some(folder) => tempfile::tempfile_in(folder)?,
            None => tempfile::tempfile()?,
        };
        let mut key = [0; 32];
        SystemRandom::new().fill(&mut key).map_err(|_| io::Error::other("no random bytes"))?;
        let key = UnboundKey::new(&CHACHA20_POLY1305, &key).map_err(|_| io::Error::other("invalid key"))?;
        Ok(Self {
            file,
            key: LessSafeKey::new(key),
            hash: digest::Context::new(&digest::SHA256),
            rest: Vec::new(),
            chunks: 0,
            length: 0,
        })
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// Those of the file.
    pub fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.length += bytes.len() as u64;
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(CHUNK - self.rest.len()));
            self.rest.extend_from_slice(now);
            bytes = later;
            if self.rest.len() == CHUNK {
                self.seal()?;
            }
        }
        Ok(())
    }

    /// Returns the number of bytes so far.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Ends the writing.
    ///
    /// # Errors
    /// Those of the file.
    pub fn finish(mut self) -> io::Result<Spool> {
        if !self.rest.is_empty() {
            self.seal()?;
        }
        let mut sha256 = [0; 32];
        sha256.copy_from_slice(self.hash.finish().as_ref());
        Ok(Spool::new(self.file, self.key, self.length, sha256))
    }

    /// Encrypts the bytes that are not encrypted yet as one chunk.
    fn seal(&mut self) -> io::Result<()> {
        let sealed = self.key.seal_in_place_append_tag(nonce(self.chunks), Aad::empty(), &mut self.rest);
        sealed.map_err(|_| io::Error::other("failed to encrypt"))?;
        self.file.write_all(&self.rest)?;
        self.rest.clear();
        self.chunks += 1;
        Ok(())
    }
}

impl fmt::Debug for SpoolWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpoolWriter").field("length", &self.length).finish_non_exhaustive()
    }
}
