//! The key that a client signs its assertions with.

use crate::auth::OAuthError;
use mgp_types::oauth::SignatureAlgorithm;
use ring::{
    rand::SystemRandom,
    rsa,
    signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair,
        RSA_PKCS1_SHA256, RSA_PKCS1_SHA384, RSA_PKCS1_SHA512, RSA_PSS_SHA256, RSA_PSS_SHA384, RSA_PSS_SHA512,
    },
};
use rustls_pki_types::{PrivateKeyDer, pem::PemObject};
use std::fmt;

/// The private key that a client signs its assertions with. It is never shown.
pub struct SigningKey {
    algorithm: SignatureAlgorithm,
    id: Option<String>,
    key: Key,
}

enum Key {
    Ecdsa(EcdsaKeyPair),
    Rsa(rsa::KeyPair),
    Ed25519(Ed25519KeyPair),
}

impl SigningKey {
    /// Parses a key in PEM: PKCS #8, or PKCS #1 for RSA.
    ///
    /// # Errors
    /// [`OAuthError::Setting`] if the text is not a key of the algorithm.
    pub fn from_pem(pem: &str, algorithm: SignatureAlgorithm) -> Result<Self, OAuthError> {
        let wrong = |problem: String| OAuthError::Setting { name: "private key", problem };
        let der = PrivateKeyDer::from_pem_slice(pem.as_bytes())
            .map_err(|_| wrong("expected a private key in PEM".to_owned()))?;
        let rejected = |error: ring::error::KeyRejected| {
            wrong(format!("expected a key of {}: {error}", algorithm.as_str()))
        };
        let ecdsa = |der: &[u8], on| EcdsaKeyPair::from_pkcs8(on, der, &SystemRandom::new()).map(Key::Ecdsa);
        use SignatureAlgorithm::{Ed25519, Es256, Es384, Ps256, Ps384, Ps512, Rs256, Rs384, Rs512};
        let is_rsa = matches!(algorithm, Rs256 | Rs384 | Rs512 | Ps256 | Ps384 | Ps512);
        let key = match (algorithm, &der) {
            (Es256, PrivateKeyDer::Pkcs8(der)) => {
                ecdsa(der.secret_pkcs8_der(), &ECDSA_P256_SHA256_FIXED_SIGNING)
            }
            (Es384, PrivateKeyDer::Pkcs8(der)) => {
                ecdsa(der.secret_pkcs8_der(), &ECDSA_P384_SHA384_FIXED_SIGNING)
            }
            (_, PrivateKeyDer::Pkcs8(der)) if is_rsa => {
                rsa::KeyPair::from_pkcs8(der.secret_pkcs8_der()).map(Key::Rsa)
            }
            (_, PrivateKeyDer::Pkcs1(der)) if is_rsa => {
                rsa::KeyPair::from_der(der.secret_pkcs1_der()).map(Key::Rsa)
            }
            (Ed25519, PrivateKeyDer::Pkcs8(der)) => {
                Ed25519KeyPair::from_pkcs8_maybe_unchecked(der.secret_pkcs8_der()).map(Key::Ed25519)
            }
            _ => return Err(wrong("expected PKCS #8, or PKCS #1 of RSA".to_owned())),
        };
        Ok(Self { algorithm, id: None, key: key.map_err(rejected)? })
    }

    /// Sets the id of the key (`kid`), for a server that knows several keys of the client.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Returns the signature algorithm.
    #[must_use]
    pub fn algorithm(&self) -> SignatureAlgorithm {
        self.algorithm
    }

    pub(super) fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    pub(super) fn sign(&self, text: &[u8]) -> Result<Vec<u8>, OAuthError> {
        let random = SystemRandom::new();
        let signature = match &self.key {
            Key::Ecdsa(key) => key.sign(&random, text).map(|signature| signature.as_ref().to_vec()),
            Key::Ed25519(key) => Ok(key.sign(text).as_ref().to_vec()),
            Key::Rsa(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                let padding: &dyn ring::signature::RsaEncoding = match self.algorithm {
                    SignatureAlgorithm::Ps256 => &RSA_PSS_SHA256,
                    SignatureAlgorithm::Ps384 => &RSA_PSS_SHA384,
                    SignatureAlgorithm::Ps512 => &RSA_PSS_SHA512,
                    SignatureAlgorithm::Rs384 => &RSA_PKCS1_SHA384,
                    SignatureAlgorithm::Rs512 => &RSA_PKCS1_SHA512,
                    _ => &RSA_PKCS1_SHA256,
                };
                key.sign(padding, &random, text, &mut signature).map(|()| signature)
            }
        };
        signature.map_err(|_| OAuthError::Assertion("the key cannot sign".to_owned()))
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey")
            .field("algorithm", &self.algorithm)
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
