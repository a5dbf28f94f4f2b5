//! The key of a store, and the form of sealed data.

use crate::private_file::PrivateFile;
use ring::{
    aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    rand::{SecureRandom, SystemRandom},
};
use std::io::{self, ErrorKind};

/// The beginning of sealed data. The nonce and the encrypted bytes follow.
pub(super) const SEALED: &[u8] = b"mgp-sealed 1\n";

/// The beginning of a key file. The bytes of the key follow.
const KEY: &[u8] = b"mgp-key 1\n";

/// The content of a key file whose key is in the keyring of the operating system.
const IN_KEYRING: &[u8] = b"mgp-key 1 in the keyring\n";

/// The length of a key, in bytes.
const LENGTH: usize = 32;

/// The key of a store.
pub(super) struct StoreKey(LessSafeKey);

impl StoreKey {
    /// Reads the key in a file; `None` if there is no file. Takes other accounts' access to the file away.
    pub(super) fn read(file: &PrivateFile) -> io::Result<Option<Self>> {
        let Some(content) = file.read(KEY.len() + LENGTH)? else { return Ok(None) };
        file.make_private()?;
        if content == IN_KEYRING {
            return Self::of(&in_keyring(file)?).map(Some);
        }
        let key = content.strip_prefix(KEY).and_then(|key| Self::of(key).ok());
        let invalid = || io::Error::new(ErrorKind::InvalidData, "it is not a key of this program");
        key.map(Some).ok_or_else(invalid)
    }

    /// Makes a key, and writes it to the keyring, or else to a file. The folder must exist.
    pub(super) fn make(file: &PrivateFile) -> io::Result<Self> {
        let key = random::<LENGTH>()?;
        #[cfg(feature = "keyring")]
        if super::keyring::write(file.path(), &key).is_ok() {
            file.replace(IN_KEYRING)?;
            return Self::of(&key);
        }
        file.replace(&[KEY, &key[..]].concat())?;
        Self::of(&key)
    }

    /// Returns whether the key of a file is in the keyring.
    pub(super) fn is_in_keyring(file: &PrivateFile) -> bool {
        file.read(KEY.len() + LENGTH).is_ok_and(|content| content.as_deref() == Some(IN_KEYRING))
    }

    fn of(key: &[u8]) -> io::Result<Self> {
        let key = UnboundKey::new(&CHACHA20_POLY1305, key).map_err(|_| io::Error::other("invalid key"))?;
        Ok(Self(LessSafeKey::new(key)))
    }

    /// Encrypts bytes.
    pub(super) fn seal(&self, content: &[u8]) -> io::Result<Vec<u8>> {
        // Random: there are far fewer than 2^32 writes with one key.
        let nonce = random::<NONCE_LEN>()?;
        let mut bytes = content.to_vec();
        let sealed = self.0.seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::from(SEALED),
            &mut bytes,
        );
        sealed.map_err(|_| io::Error::other("failed to encrypt"))?;
        Ok([SEALED, &nonce[..], &bytes[..]].concat())
    }

    /// Decrypts what [`seal`](Self::seal) returned.
    pub(super) fn open(&self, sealed: &[u8]) -> io::Result<Vec<u8>> {
        let changed = || io::Error::new(ErrorKind::InvalidData, "it was changed, or sealed with another key");
        let rest = sealed.strip_prefix(SEALED).ok_or_else(changed)?;
        let (nonce, bytes) = rest.split_first_chunk::<NONCE_LEN>().ok_or_else(changed)?;
        let mut bytes = bytes.to_vec();
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let length = self.0.open_in_place(nonce, Aad::from(SEALED), &mut bytes).map_err(|_| changed())?.len();
        bytes.truncate(length);
        Ok(bytes)
    }
}

#[cfg(feature = "keyring")]
fn in_keyring(file: &PrivateFile) -> io::Result<Vec<u8>> {
    super::keyring::read(file.path())
}

#[cfg(not(feature = "keyring"))]
fn in_keyring(_: &PrivateFile) -> io::Result<Vec<u8>> {
    Err(io::Error::other("it is in the keyring of the operating system, which this build does not read"))
}

fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).map_err(|_| io::Error::other("no random bytes"))?;
    Ok(bytes)
}
