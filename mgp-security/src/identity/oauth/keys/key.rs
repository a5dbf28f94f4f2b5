//! One public key (RFC 7517).

use super::super::token::{Check, decode};
use mgp_types::{json::RawObject, oauth::SignatureAlgorithm};
use ring::signature::{RsaPublicKeyComponents, UnparsedPublicKey};
use std::fmt;

/// One public key.
#[derive(Clone, PartialEq, Eq)]
pub(in super::super) struct Key {
    kid: Option<String>,
    /// The only algorithm that the key is for, if the key names one.
    algorithm: Option<SignatureAlgorithm>,
    material: Material,
}

#[derive(Clone, PartialEq, Eq)]
enum Material {
    Rsa { n: Vec<u8>, e: Vec<u8> },
    Curve { name: &'static str, point: Vec<u8> },
}

impl Key {
    /// Reads a key. Returns `None` if no supported algorithm uses keys of that kind, or if the key is not for verifying signatures.
    pub(in super::super) fn read(jwk: &RawObject) -> Option<Self> {
        let algorithm = match jwk.text("alg") {
            Some(name) => Some(SignatureAlgorithm::parse(&name)?),
            None => None,
        };
        let operations = jwk.decode::<Vec<String>>("key_ops").ok()?;
        let may_verify = operations.is_none_or(|operations| operations.iter().any(|one| one == "verify"));
        if !may_verify || jwk.text("use").is_some_and(|purpose| purpose != "sig") {
            return None;
        }
        let number = |name: &str| decode(&jwk.text(name)?);
        let material = match (&*jwk.text("kty")?, jwk.text("crv").as_deref()) {
            ("RSA", _) => Material::Rsa { n: without_zeros(number("n")?), e: without_zeros(number("e")?) },
            ("EC", Some("P-256")) => point("P-256", 32, &number("x")?, &number("y")?)?,
            ("EC", Some("P-384")) => point("P-384", 48, &number("x")?, &number("y")?)?,
            ("OKP", Some("Ed25519")) => Material::Curve { name: "Ed25519", point: number("x")? },
            _ => return None,
        };
        Some(Self { kid: jwk.text("kid"), algorithm, material })
    }

    /// Returns whether this key can have made a signature with this algorithm. If the token names a key, its id must be the same.
    pub(in super::super) fn fits(&self, algorithm: SignatureAlgorithm, kid: Option<&str>) -> bool {
        let right_kind = match (Check::of(algorithm), &self.material) {
            (Some(Check::Rsa(_)), Material::Rsa { .. }) => true,
            (Some(Check::Curve(needed, _)), Material::Curve { name, .. }) => needed == *name,
            _ => false,
        };
        right_kind
            && self.algorithm.is_none_or(|only| only == algorithm)
            && kid.is_none_or(|kid| self.kid.as_deref() == Some(kid))
    }

    /// Returns whether a signature is valid.
    pub(in super::super) fn verifies(
        &self,
        algorithm: SignatureAlgorithm,
        signed: &[u8],
        signature: &[u8],
    ) -> bool {
        match (Check::of(algorithm), &self.material) {
            (Some(Check::Rsa(parameters)), Material::Rsa { n, e }) => {
                RsaPublicKeyComponents { n, e }.verify(parameters, signed, signature).is_ok()
            }
            (Some(Check::Curve(needed, check)), Material::Curve { name, point }) if needed == *name => {
                UnparsedPublicKey::new(check, point).verify(signed, signature).is_ok()
            }
            _ => false,
        }
    }
}

/// Returns an uncompressed point of a curve, or `None` unless both coordinates have `size` bytes.
fn point(name: &'static str, size: usize, x: &[u8], y: &[u8]) -> Option<Material> {
    let fits = x.len() == size && y.len() == size;
    fits.then(|| Material::Curve { name, point: [&[4], x, y].concat() })
}

/// Removes the leading zeros of a number. Some issuers write its sign byte, which the verifier does not accept.
fn without_zeros(number: Vec<u8>) -> Vec<u8> {
    number.into_iter().skip_while(|byte| *byte == 0).collect()
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({:?})", self.kid)
    }
}
