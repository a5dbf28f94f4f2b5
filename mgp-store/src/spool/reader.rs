//! The reading of a spool.

use super::{CHUNK, nonce::nonce};
use parking_lot::Mutex;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey};
use std::{
    fmt,
    fs::File,
    io::{self, Read, Seek, SeekFrom},
};

/// Data in an encrypted file without a name. The data is gone once this value is dropped.
pub struct Spool {
    file: Mutex<File>,
    key: LessSafeKey,
    length: u64,
    sha256: [u8; 32],
}

impl Spool {
    pub(super) fn new(file: File, key: LessSafeKey, length: u64, sha256: [u8; 32]) -> Self {
        Self { file: Mutex::new(file), key, length, sha256 }
    }

    /// Returns the length of the data in bytes.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Returns the SHA-256 of the data.
    #[must_use]
    pub fn sha256(&self) -> &[u8; 32] {
        &self.sha256
    }

    /// Returns up to `length` bytes from `offset` on; fewer at the end of the data.
    ///
    /// # Errors
    /// Those of the file, and [`io::ErrorKind::InvalidData`] if the file was changed.
    pub fn read(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let left = usize::try_from(self.length.saturating_sub(offset)).unwrap_or(usize::MAX);
        let length = length.min(left);
        let mut out = Vec::with_capacity(length);
        let mut sealed = Vec::new();
        let (mut chunk, mut skipped) = (offset / CHUNK as u64, (offset % CHUNK as u64) as usize);
        while out.len() < length {
            let bytes = self.chunk(chunk, &mut sealed)?;
            let wanted = bytes.len().min(skipped + length - out.len());
            out.extend_from_slice(&bytes[skipped..wanted]);
            (chunk, skipped) = (chunk + 1, 0);
        }
        Ok(out)
    }

    /// Reads and decrypts one chunk of the data.
    fn chunk<'a>(&self, chunk: u64, sealed: &'a mut Vec<u8>) -> io::Result<&'a [u8]> {
        let tag = CHACHA20_POLY1305.tag_len();
        let plain = usize::try_from(self.length - chunk * CHUNK as u64).map_or(CHUNK, |left| left.min(CHUNK));
        sealed.resize(plain + tag, 0);
        {
            let mut file = self.file.lock();
            file.seek(SeekFrom::Start(chunk * (CHUNK + tag) as u64))?;
            file.read_exact(sealed)?;
        }
        let opened = self.key.open_in_place(nonce(chunk), Aad::empty(), sealed);
        let changed = |_| io::Error::new(io::ErrorKind::InvalidData, "the data was changed");
        opened.map(|plain| &*plain).map_err(changed)
    }
}

impl fmt::Debug for Spool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spool").field("length", &self.length).finish_non_exhaustive()
    }
}

#[cfg(test)]
impl Spool {
    /// Returns the spool with another handle on its file.
    pub(super) fn parts(self) -> (Self, File) {
        let file = self.file.lock().try_clone().unwrap();
        (self, file)
    }
}
