//! Names of members that hold a host.

use crate::words::words;

/// Words in a member's name that say that it holds a host.
const HOSTS: &[&str] = &[
    "url", "uri", "host", "hostname", "endpoint", "address", "addr", "domain", "ip", "ipv4", "ipv6",
    "server", "proxy", "target", "link", "href", "origin", "website", "site", "webhook", "callback",
];

/// Endings of the last word of a name that say that the member holds a host, for names that are written without a break.
const ENDINGS: &[&str] = &["url", "uri", "host", "hostname", "endpoint", "address"];

/// Last words of a name that say that the member holds something else about a host.
const OTHERWISE: &[&str] = &[
    "port", "ports", "id", "ids", "count", "index", "number", "size", "width", "height", "limit", "timeout",
    "type", "kind", "version", "status", "code", "total", "length", "seconds", "ms", "retries", "mask",
];

/// Returns whether a member of this name holds a host, or several.
pub(super) fn names_a_host(key: &str) -> bool {
    let words = words(key);
    let Some(last) = words.last().filter(|last| !OTHERWISE.contains(&last.as_str())) else { return false };
    words.iter().any(|word| is_of(word, |word| HOSTS.contains(&word)))
        || is_of(last, |word| ENDINGS.iter().any(|ending| word.ends_with(ending)))
}

/// Returns whether a member of this name holds a count, an identifier, a version or the like.
pub(super) fn says_otherwise(key: &str) -> bool {
    words(key).last().is_some_and(|last| OTHERWISE.contains(&last.as_str()))
}

/// Returns whether a word, or the word of which it is the plural, meets a condition.
fn is_of(word: &str, one: impl Fn(&str) -> bool) -> bool {
    one(word)
        || word.strip_suffix('s').is_some_and(&one)
        || word.strip_suffix("es").is_some_and(&one)
        || word.strip_suffix("ies").is_some_and(|stem| one(&format!("{stem}y")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_whether_it_holds_hosts_however_it_is_written() {
        for key in [
            "url",
            "URLs",
            "baseUrl",
            "baseurls",
            "hosts",
            "host_names",
            "addresses",
            "proxies",
            "target-ip",
            "serverAddress",
            "--host",
            "x.endpoint",
            "allowedOrigins",
            "IP",
        ] {
            assert!(names_a_host(key), "{key}");
        }
        for key in ["", "port", "host_port", "serverId", "ip_version", "text", "ship", "mode", "hosts_count"]
        {
            assert!(!names_a_host(key), "{key}");
        }
    }
}
