//! Percent-encoding (RFC 3986), by which no argument leaves its place in a request.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Every character but the unreserved ones of RFC 3986, section 2.3.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Every character but those that `allowReserved` leaves in a query. `&`, `=`, `+` and `#` stay encoded, since they
/// would begin another parameter, a space or a fragment.
const RESERVED_IN_QUERY: &AsciiSet = &RESERVED
    .remove(b':')
    .remove(b'/')
    .remove(b'?')
    .remove(b'@')
    .remove(b'!')
    .remove(b'$')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b',')
    .remove(b';');

/// Returns a text of which no character has a meaning in a URL.
pub(super) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

/// Returns a text for a query, with the characters that `allowReserved` permits.
pub(super) fn reserved(text: &str) -> String {
    utf8_percent_encode(text, RESERVED_IN_QUERY).to_string()
}

/// Returns one parameter of a query.
pub(crate) fn query_text(name: &str, value: &str) -> String {
    format!("{}={}", encoded(name), encoded(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unreserved_characters_are_left() {
        assert_eq!(encoded("a-b_c.d~e"), "a-b_c.d~e");
        assert_eq!(encoded("../?#%&=+ \r\nö"), "..%2F%3F%23%25%26%3D%2B%20%0D%0A%C3%B6");
        assert_eq!(reserved("a:/?@,;&=+#%[ö"), "a:/?@,;%26%3D%2B%23%25%5B%C3%B6");
    }
}
