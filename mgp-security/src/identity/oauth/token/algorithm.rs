//! Signature algorithms (RFC 7518, RFC 8037).

use ring::signature::{
    self, ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, RsaParameters, VerificationAlgorithm,
};

/// A signature algorithm of a token. All of them are asymmetric: who can check a token with them cannot make one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// RSA PKCS #1 v1.5 with SHA-256.
    Rs256,
    /// RSA PKCS #1 v1.5 with SHA-384.
    Rs384,
    /// RSA PKCS #1 v1.5 with SHA-512.
    Rs512,
    /// RSA PSS with SHA-256.
    Ps256,
    /// RSA PSS with SHA-384.
    Ps384,
    /// RSA PSS with SHA-512.
    Ps512,
    /// ECDSA on P-256 with SHA-256.
    Es256,
    /// ECDSA on P-384 with SHA-384.
    Es384,
    /// Ed25519.
    Ed25519,
}

/// How a signature is checked.
pub(in super::super) enum Check {
    Rsa(&'static RsaParameters),
    /// With keys on the curve of that name.
    Curve(&'static str, &'static dyn VerificationAlgorithm),
}

impl Algorithm {
    /// Every algorithm.
    pub const ALL: &'static [Self] = &[
        Self::Rs256,
        Self::Rs384,
        Self::Rs512,
        Self::Ps256,
        Self::Ps384,
        Self::Ps512,
        Self::Es256,
        Self::Es384,
        Self::Ed25519,
    ];

    /// The name in a token's header; of two that mean the same, the older.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Rs384 => "RS384",
            Self::Rs512 => "RS512",
            Self::Ps256 => "PS256",
            Self::Ps384 => "PS384",
            Self::Ps512 => "PS512",
            Self::Es256 => "ES256",
            Self::Es384 => "ES384",
            Self::Ed25519 => "EdDSA",
        }
    }

    /// The algorithm of a name. `none` and those with a shared secret have none.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let name = if name == "Ed25519" { "EdDSA" } else { name };
        Self::ALL.iter().copied().find(|algorithm| algorithm.name() == name)
    }

    pub(in super::super) fn check(self) -> Check {
        match self {
            Self::Rs256 => Check::Rsa(&signature::RSA_PKCS1_2048_8192_SHA256),
            Self::Rs384 => Check::Rsa(&signature::RSA_PKCS1_2048_8192_SHA384),
            Self::Rs512 => Check::Rsa(&signature::RSA_PKCS1_2048_8192_SHA512),
            Self::Ps256 => Check::Rsa(&signature::RSA_PSS_2048_8192_SHA256),
            Self::Ps384 => Check::Rsa(&signature::RSA_PSS_2048_8192_SHA384),
            Self::Ps512 => Check::Rsa(&signature::RSA_PSS_2048_8192_SHA512),
            Self::Es256 => Check::Curve("P-256", &ECDSA_P256_SHA256_FIXED),
            Self::Es384 => Check::Curve("P-384", &ECDSA_P384_SHA384_FIXED),
            Self::Ed25519 => Check::Curve("Ed25519", &signature::ED25519),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_asymmetric_algorithms_have_a_name() {
        for algorithm in Algorithm::ALL {
            assert_eq!(Algorithm::named(algorithm.name()), Some(*algorithm));
        }
        assert_eq!(Algorithm::named("Ed25519"), Some(Algorithm::Ed25519));
        for name in ["none", "None", "NONE", "", "HS256", "HS384", "HS512", "rs256", "RSA-OAEP", "ES256K"] {
            assert_eq!(Algorithm::named(name), None, "{name}");
        }
    }
}
