//! Signed tokens and key sets: only the token that was signed is accepted, and only unchanged. The input is read as a token, as
//! changes to the valid token, as the header and claims of a token, and as a key set.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use http::{HeaderMap, HeaderValue, header::AUTHORIZATION};
use mgp_security::identity::oauth::{Issuer, KeySet, ResourceServer};
use mgp_transport::seam::Authenticate;
use ring::signature::{Ed25519KeyPair, KeyPair};
use std::sync::LazyLock;
use tokio::runtime::{Builder, Runtime};

const ISSUER: &str = "https://auth.example";
const RESOURCE: &str = "https://tools.example/mcp";

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_current_thread().enable_time().build().expect("a runtime starts"));
static KEY: LazyLock<Ed25519KeyPair> =
    LazyLock::new(|| Ed25519KeyPair::from_seed_unchecked(&[7; 32]).expect("any seed makes a key"));
static SERVER: LazyLock<ResourceServer> = LazyLock::new(|| {
    let x = encode(KEY.public_key().as_ref());
    let keys = format!(r#"{{"keys":[{{"kty":"OKP","crv":"Ed25519","kid":"k","x":"{x}"}}]}}"#);
    server(KeySet::parse(keys.as_bytes()).expect("it is a key set"))
});
static TOKEN: LazyLock<String> = LazyLock::new(|| {
    // Expires in the far future.
    let claims = format!(r#"{{"iss":"{ISSUER}","sub":"a","aud":"{RESOURCE}","exp":99999999999}}"#);
    let signed =
        format!("{}.{}", encode(br#"{"alg":"EdDSA","kid":"k","typ":"at+jwt"}"#), encode(claims.as_bytes()));
    let signature = encode(KEY.sign(signed.as_bytes()).as_ref());
    format!("{signed}.{signature}")
});

fn encode(bytes: &[u8]) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

fn server(keys: KeySet) -> ResourceServer {
    ResourceServer::builder().issuer(Issuer::new(ISSUER).keys(keys)).build().expect("it has an issuer")
}

fn counts(server: &ResourceServer, token: &[u8]) -> bool {
    let mut headers = HeaderMap::new();
    let Ok(value) = HeaderValue::from_bytes(&[b"Bearer ".as_slice(), token].concat()) else { return false };
    headers.insert(AUTHORIZATION, value);
    RUNTIME.block_on(server.authenticate(&headers, RESOURCE)).is_ok()
}

/// Returns the token with the changes that the input describes.
fn changed(data: &[u8]) -> Vec<u8> {
    let mut token = TOKEN.clone().into_bytes();
    for change in data.chunks_exact(4) {
        let at = usize::from(u16::from_le_bytes([change[1], change[2]])) % token.len().max(1);
        match change[0] % 4 {
            0 if at < token.len() => token[at] = change[3],
            1 if at < token.len() => drop(token.remove(at)),
            2 => token.insert(at, change[3]),
            _ => token.truncate(at),
        }
    }
    token
}

/// Returns a token with the header and claims of the input, and an invalid signature.
fn forged(data: &[u8]) -> String {
    let (header, claims) = data.split_at(data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len()));
    format!("{}.{}.{}", encode(header), encode(claims), encode(&[0; 64]))
}

pub(super) fn run(data: &[u8]) {
    for token in [data.to_vec(), changed(data), forged(data).into_bytes()] {
        // White space around the token belongs to the header.
        let is_ours = token.trim_ascii() == TOKEN.as_bytes() && HeaderValue::from_bytes(&token).is_ok();
        assert_eq!(counts(&SERVER, &token), is_ours, "{}", String::from_utf8_lossy(&token));
    }
    if let Ok(keys) = KeySet::parse(data) {
        assert!(keys.len() <= 100);
        counts(&server(keys), TOKEN.as_bytes());
    }
}
