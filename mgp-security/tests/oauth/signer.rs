//! Keys that sign tokens.

use base64::{Engine, prelude::*};
use ring::{
    rand::SystemRandom,
    rsa::{KeyPair as RsaKeyPair, PublicKeyComponents},
    signature::{
        self, ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair,
        KeyPair, RsaEncoding,
    },
};
use serde_json::{Value, json};

/// A key that signs tokens.
pub(crate) struct Signer {
    pub(crate) kid: String,
    /// The algorithm in the header of tokens.
    pub(crate) algorithm: &'static str,
    key: Key,
}

enum Key {
    Rsa(RsaKeyPair, &'static dyn RsaEncoding),
    Ecdsa(EcdsaKeyPair, &'static str),
    Ed25519(Ed25519KeyPair),
}

pub(crate) fn encode(bytes: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

impl Signer {
    /// Creates a new key on P-256.
    pub(crate) fn new(kid: &str) -> Self {
        Self::of(kid, "ES256")
    }

    /// Creates a key for an algorithm. All RSA keys are the same one.
    pub(crate) fn of(kid: &str, algorithm: &'static str) -> Self {
        let random = SystemRandom::new();
        let rsa = |encoding| {
            let text = include_str!("rsa_key.txt").replace('\n', "");
            Key::Rsa(RsaKeyPair::from_der(&BASE64_STANDARD.decode(text).unwrap()).unwrap(), encoding)
        };
        let ecdsa = |algorithm, curve| {
            let key = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
            Key::Ecdsa(EcdsaKeyPair::from_pkcs8(algorithm, key.as_ref(), &random).unwrap(), curve)
        };
        let key = match algorithm {
            "RS256" => rsa(&signature::RSA_PKCS1_SHA256),
            "RS384" => rsa(&signature::RSA_PKCS1_SHA384),
            "RS512" => rsa(&signature::RSA_PKCS1_SHA512),
            "PS256" => rsa(&signature::RSA_PSS_SHA256),
            "PS384" => rsa(&signature::RSA_PSS_SHA384),
            "PS512" => rsa(&signature::RSA_PSS_SHA512),
            "ES256" => ecdsa(&ECDSA_P256_SHA256_FIXED_SIGNING, "P-256"),
            "ES384" => ecdsa(&ECDSA_P384_SHA384_FIXED_SIGNING, "P-384"),
            "EdDSA" => {
                let key = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
                Key::Ed25519(Ed25519KeyPair::from_pkcs8(key.as_ref()).unwrap())
            }
            other => panic!("{other}"),
        };
        Self { kid: kid.to_owned(), algorithm, key }
    }

    /// Returns the public key, as a JWK.
    pub(crate) fn jwk(&self) -> Value {
        let mut jwk = match &self.key {
            Key::Rsa(key, _) => {
                let public = PublicKeyComponents::<Vec<u8>>::from(key.public());
                json!({ "kty": "RSA", "n": encode(public.n), "e": encode(public.e) })
            }
            Key::Ecdsa(key, curve) => {
                let (x, y) = key.public_key().as_ref()[1..].split_at(key.public_key().as_ref().len() / 2);
                json!({ "kty": "EC", "crv": curve, "x": encode(x), "y": encode(y) })
            }
            Key::Ed25519(key) => json!({ "kty": "OKP", "crv": "Ed25519", "x": encode(key.public_key()) }),
        };
        jwk["kid"] = self.kid.clone().into();
        jwk["use"] = "sig".into();
        jwk
    }

    /// Returns a signed token with these claims.
    pub(crate) fn token(&self, claims: &Value) -> String {
        self.token_with(&json!({ "alg": self.algorithm, "kid": self.kid, "typ": "at+jwt" }), claims)
    }

    /// Returns a signed token with this header, valid or not.
    pub(crate) fn token_with(&self, header: &Value, claims: &Value) -> String {
        let signed = format!("{}.{}", encode(header.to_string()), encode(claims.to_string()));
        let signature = self.sign(signed.as_bytes());
        format!("{signed}.{}", encode(signature))
    }

    fn sign(&self, text: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match &self.key {
            Key::Rsa(key, encoding) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(*encoding, &random, text, &mut signature).unwrap();
                signature
            }
            Key::Ecdsa(key, _) => key.sign(&random, text).unwrap().as_ref().to_vec(),
            Key::Ed25519(key) => key.sign(text).as_ref().to_vec(),
        }
    }
}
