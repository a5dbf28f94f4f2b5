//! The signature algorithms of tokens and assertions (RFC 7518 §3.1, RFC 8037).

use serde::{Deserialize, Serialize};

/// A signature algorithm of tokens. All of them are asymmetric: a verifier of tokens cannot make one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "UPPERCASE")]
#[non_exhaustive]
pub enum SignatureAlgorithm {
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
    /// Ed25519, as `EdDSA`.
    #[serde(rename = "EdDSA")]
    Ed25519,
}

impl SignatureAlgorithm {
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

    /// Returns the name in a token's header; the older name if two mean the same.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
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

    /// Returns the algorithm of a name, or `None` for `none`, algorithms with a shared secret, and unknown names.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let name = if name == "Ed25519" { "EdDSA" } else { name };
        Self::ALL.iter().copied().find(|algorithm| algorithm.as_str() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_asymmetric_algorithms_have_a_name() {
        for algorithm in SignatureAlgorithm::ALL {
            assert_eq!(SignatureAlgorithm::parse(algorithm.as_str()), Some(*algorithm));
        }
        assert_eq!(SignatureAlgorithm::parse("Ed25519"), Some(SignatureAlgorithm::Ed25519));
        for name in ["none", "None", "NONE", "", "HS256", "HS384", "HS512", "rs256", "RSA-OAEP", "ES256K"] {
            assert_eq!(SignatureAlgorithm::parse(name), None, "{name}");
        }
    }

    #[test]
    fn a_file_names_an_algorithm_like_a_token() {
        for algorithm in SignatureAlgorithm::ALL {
            assert_eq!(serde_json::to_value(algorithm).unwrap(), algorithm.as_str());
        }
    }
}
