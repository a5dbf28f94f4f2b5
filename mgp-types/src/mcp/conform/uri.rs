//! URIs, as strict as the hosts' SDKs that parse them.

/// The schemes whose URIs must name a host.
const WITH_HOST: [&str; 5] = ["http", "https", "ws", "wss", "ftp"];

/// Characters that are invalid in host names.
const NOT_IN_HOST: [char; 11] = [' ', '<', '>', '[', ']', '^', '|', '\\', '\t', '\n', '\r'];

/// The scheme whose URIs name no port, and may leave the host out.
const FILE: &str = "file";

/// Returns whether a text is a URI: a scheme, and after `//` a valid host and port.
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
    let is_file = scheme.eq_ignore_ascii_case(FILE);
    if is_file && is_drive(authority) {
        return true;
    }
    let (user, host) =
        authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
    let (host, port) = match host.strip_prefix('[') {
        Some(inside) => match inside.split_once(']') {
            Some((address, port)) if address.parse::<core::net::Ipv6Addr>().is_ok() => (address, port),
            _ => return false,
        },
        None if needs_host && host.is_empty() => return false,
        None => {
            let (host, port) = host.split_at(host.find(':').unwrap_or(host.len()));
            if !is_host(host, needs_host || is_file) {
                return false;
            }
            (host, port)
        }
    };
    // Without a host, a user and a port make no sense.
    let has_more = user.is_some() || !port.is_empty();
    if has_more && (host.is_empty() || is_file) {
        return false;
    }
    match port.strip_prefix(':') {
        Some(port) => port.is_empty() || is_number(port),
        None => port.is_empty(),
    }
}

/// Returns whether the authority of a file is a drive of Windows.
fn is_drive(authority: &str) -> bool {
    matches!(authority.as_bytes(), [letter, b':' | b'|'] if letter.is_ascii_alphabetic())
}

/// Returns whether a text can be the name of a host or an IPv4 address. In the well-known schemes, it is a domain.
fn is_host(host: &str, is_domain: bool) -> bool {
    if host.contains(NOT_IN_HOST) || host.contains('\0') {
        return false;
    }
    if !is_domain {
        return true;
    }
    if host.contains(|one: char| one == '%' || one.is_control()) {
        return false;
    }
    // A last label that is a number makes the whole an IPv4 address.
    let labels = host.strip_suffix('.').unwrap_or(host);
    let last = labels.rsplit('.').next().unwrap_or_default();
    let is_decimal = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
    (!is_decimal && part_of_address(last).is_none()) || is_address(labels)
}

/// Returns whether up to four numbers are an IPv4 address. The last number fills the omitted ones.
fn is_address(labels: &str) -> bool {
    let parts: Option<Vec<u64>> = labels.split('.').take(5).map(part_of_address).collect();
    match parts.as_deref() {
        Some([first @ .., last]) if first.len() < 4 => {
            first.iter().all(|part| *part < 256) && *last >> (8 * (4 - first.len())) == 0
        }
        _ => false,
    }
}

/// Reads a number of an IPv4 address: decimal, octal after `0` or hexadecimal after `0x`.
fn part_of_address(label: &str) -> Option<u64> {
    if let Some(digits) = label.strip_prefix("0x").or_else(|| label.strip_prefix("0X")) {
        return if digits.is_empty() { Some(0) } else { number(digits, 16) };
    }
    match label.strip_prefix('0') {
        Some(digits) if !digits.is_empty() => number(digits, 8),
        _ => number(label, 10),
    }
}

fn number(digits: &str, radix: u32) -> Option<u64> {
    // A sign is not a digit.
    let is_number = digits.chars().all(|digit| digit.is_digit(radix));
    if is_number { u64::from_str_radix(digits, radix).ok() } else { None }
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
            "http://127.0.0.1:80/",
            "http://0x7f.1",
            "http://1.2.3.4.",
            "http://1.a/",
            "file://C:/x",
            "file://host/x",
            "ui://a%20b/",
            "ui://256.1.1.1",
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
            "http://256.1.1.1/x",
            "http://1.2.3.4.5",
            "http://a.09/",
            "http://a%zz/",
            "http://a\u{1}b/",
            "http://a\u{7f}b/",
            "file://a:80/x",
            "file://u@a/x",
            "foo://:80/x",
            "foo://u@/x",
            "foo://a\0b/",
        ] {
            assert!(!is_uri(other), "{other}");
        }
    }
}
