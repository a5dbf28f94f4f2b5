//! The headers that belong to one connection, and are not passed on.

use http::{
    HeaderMap, HeaderName,
    header::{CONNECTION, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE},
};

const OF_ONE_CONNECTION: [HeaderName; 8] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// Removes the headers of a connection, including those that `Connection` names.
pub(super) fn remove(headers: &mut HeaderMap) {
    let named = headers.get_all(CONNECTION).iter().filter_map(|value| value.to_str().ok());
    let named: Vec<HeaderName> =
        named.flat_map(|value| value.split(',')).filter_map(|name| name.trim().parse().ok()).collect();
    for name in named.iter().chain(&OF_ONE_CONNECTION) {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_a_connection_are_not_passed_on() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("connection", "close, X-Of-Hop"),
            ("x-of-hop", "1"),
            ("transfer-encoding", "chunked"),
            ("upgrade", "h2c"),
            ("authorization", "Bearer k"),
            ("mcp-session-id", "s"),
        ] {
            headers.insert(HeaderName::from_static(name), value.parse().unwrap());
        }
        remove(&mut headers);
        let mut left: Vec<_> = headers.keys().map(HeaderName::as_str).collect();
        left.sort_unstable();
        assert_eq!(left, ["authorization", "mcp-session-id"]);
    }
}
