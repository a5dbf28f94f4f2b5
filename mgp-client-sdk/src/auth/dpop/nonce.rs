//! The nonce that a server demands in proofs.

use http::{HeaderMap, HeaderName};

const NONCE: HeaderName = HeaderName::from_static("dpop-nonce");
/// The maximum length of a nonce, in bytes.
const MAX_NONCE: usize = 1024;

/// Returns the nonce that a response supplies for the next proof. A nonce that is too long is ignored.
pub(in crate::auth) fn nonce_of(headers: &HeaderMap) -> Option<String> {
    let nonce = headers.get(NONCE)?.to_str().ok()?;
    (1..=MAX_NONCE).contains(&nonce.len()).then(|| nonce.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nonce_is_bounded_and_text() {
        let of = |value: &[u8]| nonce_of(&HeaderMap::from_iter([(NONCE, value.try_into().unwrap())]));
        assert_eq!(of(b"a-b"), Some("a-b".to_owned()));
        assert!(of(&[b'x'; MAX_NONCE]).is_some() && of(&[b'x'; MAX_NONCE + 1]).is_none());
        assert_eq!((of(b""), of(b"\xff"), nonce_of(&HeaderMap::new())), (None, None, None));
    }
}
