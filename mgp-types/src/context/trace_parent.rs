//! The W3C `traceparent` of a caller.

use super::TraceId;

/// The W3C `traceparent` of a caller: its trace, and the span in which it made the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceParent {
    /// The trace.
    pub trace: TraceId,
    /// The caller's span, which is not 0.
    pub span: u64,
    /// True if the caller records the trace.
    pub is_sampled: bool,
}

impl TraceParent {
    /// Reads a header. Returns `None` for a header that is invalid by the recommendation.
    ///
    /// ```
    /// use mgp_types::context::TraceParent;
    /// let parent = TraceParent::parse("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    /// assert!(parent.is_some_and(|parent| parent.span == 0xb7ad_6b71_6920_3331 && parent.is_sampled));
    /// ```
    #[must_use]
    pub fn parse(header: &str) -> Option<Self> {
        let mut parts = header.split('-');
        let (version, _trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        // Later versions may have more parts.
        if version == "ff" || hex(version, 2).is_none() || version == "00" && parts.next().is_some() {
            return None;
        }
        let span = hex(span, 16).filter(|span| *span != 0)?;
        let is_sampled = hex(flags, 2)? & 1 == 1;
        Some(Self { trace: TraceId::from_traceparent(header)?, span, is_sampled })
    }
}

/// Reads a number of a given count of lower-case hexadecimal digits.
fn hex(text: &str, digits: usize) -> Option<u64> {
    let is_digit = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    let fits = text.len() == digits && text.bytes().all(is_digit);
    fits.then(|| u64::from_str_radix(text, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read_as_recommended() {
        let of = |header: &str| TraceParent::parse(header).map(|parent| (parent.span, parent.is_sampled));
        let trace = "0af7651916cd43dd8448eb211c80319c";
        assert_eq!(of(&format!("00-{trace}-00000000000000ff-01")), Some((255, true)));
        assert_eq!(of(&format!("00-{trace}-00000000000000ff-02")), Some((255, false)));
        assert_eq!(of(&format!("cc-{trace}-00000000000000ff-01-what-ever")), Some((255, true)));
        for bad in [
            String::new(),
            format!("00-{trace}-00000000000000ff"),
            format!("00-{trace}-00000000000000ff-01-more"),
            format!("ff-{trace}-00000000000000ff-01"),
            format!("0-{trace}-00000000000000ff-01"),
            format!("00-{trace}-0000000000000000-01"),
            format!("00-{trace}-00000000000000FF-01"),
            format!("00-{trace}-+0000000000000ff-01"),
            format!("00-{trace}-00000000000000ff-é"),
            format!("00-{}-00000000000000ff-01", "0".repeat(32)),
        ] {
            assert_eq!(of(&bad), None, "{bad}");
        }
    }
}
