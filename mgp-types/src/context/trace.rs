//! The id that connects everything that one call causes.

use std::{fmt, sync::Arc};

/// The id that connects everything that one call causes, on every server (§6.5).
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct TraceId(Arc<str>);

/// The longest trace id that is accepted from a peer, in bytes.
const MAX_LENGTH: usize = 128;

impl TraceId {
    /// Reads an id from a peer: 1 to 128 printable ASCII characters without spaces. Returns `None` for anything else.
    #[must_use]
    pub fn new(id: &str) -> Option<Self> {
        let fits = !id.is_empty() && id.len() <= MAX_LENGTH && id.bytes().all(|b| b.is_ascii_graphic());
        fits.then(|| Self(id.into()))
    }

    /// Reads the id from the second part of a W3C `traceparent`.
    #[must_use]
    pub fn from_traceparent(header: &str) -> Option<Self> {
        let mut parts = header.split('-');
        let (_version, trace, _parent, _flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let valid = trace.len() == 32
            && trace.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
            && trace.bytes().any(|b| b != b'0');
        valid.then(|| Self(trace.into()))
    }

    /// Returns the id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether two ids name the same trace: they are equal, or their W3C forms are, as for a UUID with and without hyphens.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let header = |id: &Self| id.traceparent(0, false);
        self == other || header(self).is_some_and(|own| header(other) == Some(own))
    }

    /// Returns the W3C `traceparent` of a span of this trace, which is recorded if `is_sampled`. Returns `None` unless the id is 32
    /// hexadecimal digits or a UUID.
    #[must_use]
    pub fn traceparent(&self, span: u64, is_sampled: bool) -> Option<String> {
        let mut header = *b"00-                                -                -00";
        let mut rest = &mut header[3..35];
        for part in self.0.as_bytes().split(|byte| *byte == b'-') {
            let (place, behind) = rest.split_at_mut_checked(part.len())?;
            place.copy_from_slice(part);
            rest = behind;
        }
        let is_full = rest.is_empty();
        let digits = &mut header[3..35];
        // Without an early exit, so that many digits are checked at once.
        if !is_full || !digits.iter().fold(true, |all, digit| all & digit.is_ascii_hexdigit()) {
            return None;
        }
        digits.make_ascii_lowercase();
        for (place, shift) in header[36..52].iter_mut().zip((0..16).rev()) {
            *place = b"0123456789abcdef"[(span >> (4 * shift)) as usize & 0xf];
        }
        header[54] += u8::from(is_sampled);
        String::from_utf8(header.to_vec()).ok()
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
    fn a_uuid_is_the_same_trace_with_and_without_hyphens() {
        let id = |text| TraceId::new(text).unwrap();
        let hyphens = id("550e8400-e29b-41d4-a716-446655440000");
        assert!(hyphens.is_same(&id("550e8400e29b41d4a716446655440000")));
        assert!(!hyphens.is_same(&id("550e8400e29b41d4a716446655440001")));
        assert!(id("t-1").is_same(&id("t-1")) && !id("t-1").is_same(&id("t-2")));
    }

    #[test]
    fn a_span_has_a_traceparent_if_the_trace_allows_it() {
        let of = |id| TraceId::new(id).unwrap().traceparent(255, true);
        let expected = "00-550e8400e29b41d4a716446655440000-00000000000000ff-01";
        assert_eq!(of("550E8400-e29b-41d4-a716-446655440000").as_deref(), Some(expected));
        assert_eq!(
            TraceId::from_traceparent(expected).unwrap().traceparent(255, true).as_deref(),
            Some(expected)
        );
        let unsampled = TraceId::from_traceparent(expected).unwrap().traceparent(255, false);
        assert_eq!(
            unsampled.as_deref(),
            expected.strip_suffix('1').map(|start| format!("{start}0")).as_deref()
        );
        for other in ["t-1", "g50e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-4466554400001"]
        {
            assert_eq!(of(other), None);
        }
    }

    #[test]
    fn only_a_valid_traceparent_yields_its_trace_id() {
        let header = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        assert_eq!(TraceId::from_traceparent(header).unwrap().as_str(), "0af7651916cd43dd8448eb211c80319c");
        for bad in
            ["", "00-xyz-b7ad6b7169203331-01", "00-00000000000000000000000000000000-b7ad6b7169203331-01"]
        {
            assert_eq!(TraceId::from_traceparent(bad), None);
        }
    }
}
