//! The id that ties together what one call causes.

use std::{fmt, sync::Arc};

/// The id that ties together what one call causes on every server (§6.5).
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct TraceId(Arc<str>);

/// The longest trace id that is accepted from a peer, in bytes.
const MAX_LENGTH: usize = 128;

impl TraceId {
    /// Takes an id from a peer: 1 to 128 printable ASCII characters without spaces. `None` for anything else.
    #[must_use]
    pub fn new(id: &str) -> Option<Self> {
        let fits = !id.is_empty() && id.len() <= MAX_LENGTH && id.bytes().all(|b| b.is_ascii_graphic());
        fits.then(|| Self(id.into()))
    }

    /// The id in a W3C `traceparent`, whose second part it is.
    #[must_use]
    pub fn from_traceparent(header: &str) -> Option<Self> {
        let mut parts = header.split('-');
        let (_version, trace, _parent, _flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let valid = trace.len() == 32
            && trace.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
            && trace.bytes().any(|b| b != b'0');
        valid.then(|| Self(trace.into()))
    }

    /// The id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id as 32 hexadecimal digits, where it is that or a UUID: what a `traceparent` needs.
    #[must_use]
    pub fn as_hex(&self) -> Option<String> {
        let hex: String = self.0.chars().filter(|c| *c != '-').map(|c| c.to_ascii_lowercase()).collect();
        (hex.len() == 32 && hex.bytes().all(|b| b.is_ascii_hexdigit())).then_some(hex)
    }
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_from_peers_are_bounded_and_printable() {
        assert!(TraceId::new("550e8400-e29b-41d4-a716-446655440000").is_some());
        for bad in ["", "a b", "a\nb", "é", &"x".repeat(129)] {
            assert_eq!(TraceId::new(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn a_traceparent_gives_its_trace_part_and_nothing_when_malformed() {
        let header = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        assert_eq!(TraceId::from_traceparent(header).unwrap().as_str(), "0af7651916cd43dd8448eb211c80319c");
        for bad in
            ["", "00-xyz-b7ad6b7169203331-01", "00-00000000000000000000000000000000-b7ad6b7169203331-01"]
        {
            assert_eq!(TraceId::from_traceparent(bad), None);
        }
    }
}
