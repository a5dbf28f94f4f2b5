//! A key that is derived from a secret.

use super::nonce::nonce;
use ring::{
    aead::{Aad, CHACHA20_POLY1305, LessSafeKey, MAX_TAG_LEN, UnboundKey},
    hkdf::{HKDF_SHA256, Prk, Salt},
};
use std::{fmt, io};

/// The purpose of the derivation. Every version of this program has to derive the same keys.
const PURPOSE: &[u8] = b"mgp derived key 1";

/// A key for chunks that several processes read, and the name under which they are stored. Both follow from a secret and its owner. Neither
/// the name nor the chunks reveal anything about them.
///
/// ```
/// use mgp_store::spool::DerivedKey;
///
/// let secret = b"unguessable: 5f0c28d1b2a34e0f";
/// let here = DerivedKey::new(secret, b"ann")?;
/// let there = DerivedKey::new(secret, b"ann")?;
/// assert_eq!(here.name(), there.name());
/// let sealed = here.seal(0, b"data".to_vec())?;
/// assert_eq!(there.open(0, sealed)?, b"data");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct DerivedKey {
    name: [u8; 32],
    key: LessSafeKey,
}

impl DerivedKey {
    /// The bytes by which the encryption makes a chunk longer.
    pub const TAG: usize = MAX_TAG_LEN;

    /// Derives the key of a secret that cannot be guessed, for an owner.
    ///
    /// # Errors
    /// If the derivation fails.
    pub fn new(secret: &[u8], owner: &[u8]) -> io::Result<Self> {
        let derived = Salt::new(HKDF_SHA256, PURPOSE).extract(secret);
        let key = UnboundKey::new(&CHACHA20_POLY1305, &expand(&derived, b"key:", owner)?);
        let key = key.map_err(|_| io::Error::other("invalid key"))?;
        Ok(Self { name: expand(&derived, b"name:", owner)?, key: LessSafeKey::new(key) })
    }

    /// Returns the name under which the chunks are stored.
    #[must_use]
    pub fn name(&self) -> &[u8; 32] {
        &self.name
    }

    /// Encrypts a chunk. Each number is used for one content only.
    ///
    /// # Errors
    /// If the encryption fails.
    pub fn seal(&self, chunk: u64, mut data: Vec<u8>) -> io::Result<Vec<u8>> {
        let sealed = self.key.seal_in_place_append_tag(nonce(chunk), Aad::empty(), &mut data);
        sealed.map_err(|_| io::Error::other("failed to encrypt"))?;
        Ok(data)
    }

    /// Decrypts a chunk.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidData`] for a chunk with another number, of another key, or that was changed.
    pub fn open(&self, chunk: u64, mut sealed: Vec<u8>) -> io::Result<Vec<u8>> {
        let opened = self.key.open_in_place(nonce(chunk), Aad::empty(), &mut sealed);
        let changed = |_| io::Error::new(io::ErrorKind::InvalidData, "the data was changed");
        let length = opened.map_err(changed)?.len();
        sealed.truncate(length);
        Ok(sealed)
    }
}

fn expand(derived: &Prk, label: &[u8], owner: &[u8]) -> io::Result<[u8; 32]> {
    let mut key = [0; 32];
    let expanded = derived.expand(&[label, owner], HKDF_SHA256).and_then(|expanded| expanded.fill(&mut key));
    expanded.map_err(|_| io::Error::other("failed to derive a key"))?;
    Ok(key)
}

impl fmt::Debug for DerivedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DerivedKey").finish_non_exhaustive()
    }
}
