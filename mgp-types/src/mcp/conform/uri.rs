//! URIs, as strict as the hosts' SDKs that parse them.

/// The schemes whose URIs must name a host.
const WITH_HOST: [&str; 5] = ["http", "https", "ws", "wss", "ftp"];

/// Characters that no name of a host holds.
const NOT_IN_HOST: [char; 11] = [' ', '<', '>', '[', ']', '^', '|', '\\', '\t', '\n', '\r'];

/// Returns whether a text is a URI: a scheme, and after `//` a host and a port that can be ones.
pub(super) fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|one| one.is_ascii_alphanumeric() || matches!(one, '+' | '-' | '.'));
    if !is_scheme {
        return false;
    }
    let needs_host = WITH_HOST.iter().any(|one| scheme.eq_ignore_ascii_case(one));
    let authority = match rest.strip_prefix("//") {
        Some(rest) if needs_host => rest.trim_start_matches('/'),
        Some(rest) => rest,
        None if needs_host => rest.trim_start_matches('/'),
        None => return true,
    };
    let authority = authority.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (host, port) = match host.strip_prefix('[') {
        Some(inside) => match inside.split_once(']') {
            Some((address, port)) if address.parse::<std::net::Ipv6Addr>().is_ok() => ("", port),
            _ => return false,
        },
        None if needs_host && host.is_empty() => return false,
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let is_port = match port.strip_prefix(':') {
        Some(port) => port.is_empty() || is_number(port),
        None => port.is_empty(),
    };
    is_port && !host.contains(NOT_IN_HOST)
}

fn is_number(port: &str) -> bool {
    port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_text_with_a_scheme_and_a_possible_host_is_a_uri() {
        for uri in [
            "a:b",
            "urn:x",
            "file:///a b.txt",
            "memo://notes/1",
            "ui://w/{id}",
            "db://{a}/b",
            "C:\\x",
            "http://a:80/x",
            "http:x",
            "https://u:p@[::1]:8080/x?y#z",
            "git+ssh://x",
            "x://",
        ] {
            assert!(is_uri(uri), "{uri}");
        }
        for other in [
            "",
            "note.txt",
            "/a/b",
            "1a:b",
            "é:x",
            "http://",
            "https:///",
            "https://a b",
            "http://[",
            "foo://[bad]",
            "foo://a:b",
            "foo://a:99999/x",
            "foo://a:+1/x",
            "memo://a b",
        ] {
            assert!(!is_uri(other), "{other}");
        }
    }
}
