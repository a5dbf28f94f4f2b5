//! The methods of verifying signatures.

use mgp_types::oauth::SignatureAlgorithm;
use ring::signature::{
    self, ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, RsaParameters, VerificationAlgorithm,
};

/// The method of verifying a signature.
pub(in super::super) enum Check {
    Rsa(&'static RsaParameters),
    /// Verification with keys on the curve of this name.
    Curve(&'static str, &'static dyn VerificationAlgorithm),
}

impl Check {
    /// Returns the method for an algorithm, or `None` if the algorithm is not supported.
    pub(in super::super) fn of(algorithm: SignatureAlgorithm) -> Option<Self> {
        use SignatureAlgorithm::{Ed25519, Es256, Es384, Ps256, Ps384, Ps512, Rs256, Rs384, Rs512};
        Some(match algorithm {
            Rs256 => Self::Rsa(&signature::RSA_PKCS1_2048_8192_SHA256),
            Rs384 => Self::Rsa(&signature::RSA_PKCS1_2048_8192_SHA384),
            Rs512 => Self::Rsa(&signature::RSA_PKCS1_2048_8192_SHA512),
            Ps256 => Self::Rsa(&signature::RSA_PSS_2048_8192_SHA256),
            Ps384 => Self::Rsa(&signature::RSA_PSS_2048_8192_SHA384),
            Ps512 => Self::Rsa(&signature::RSA_PSS_2048_8192_SHA512),
            Es256 => Self::Curve("P-256", &ECDSA_P256_SHA256_FIXED),
            Es384 => Self::Curve("P-384", &ECDSA_P384_SHA384_FIXED),
            Ed25519 => Self::Curve("Ed25519", &signature::ED25519),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_can_be_checked() {
        for algorithm in SignatureAlgorithm::ALL {
            assert!(Check::of(*algorithm).is_some(), "{algorithm:?}");
        }
    }
}
