//! The hosts that a confined server may reach.

use core::net::IpAddr;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::{fmt, str::FromStr};

const V4_BITS: u8 = 32;
const V6_BITS: u8 = 128;

/// A rule that lets a confined server reach hosts, on one port or on all.
///
/// A name, like `*`, only leads to public addresses. Private ones, and those of this machine, must be listed as addresses.
///
/// ```
/// use mgp_types::context::HostRule;
/// let rule: HostRule = "*.example.com:443".parse()?;
/// assert!(rule.covers_name("api.example.com", 443) && !rule.covers_name("example.com", 443));
/// let rule: HostRule = "10.0.0.0/8".parse()?;
/// assert!(rule.covers_address("10.1.2.3".parse()?, 5432));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostRule {
    pattern: HostPattern,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum HostPattern {
    /// Every public host: `*`.
    Public,
    Name(String),
    /// All names below one: `*.example.com`.
    Below(String),
    /// The addresses that begin with the bits of this one.
    Addresses {
        first: IpAddr,
        bits: u8,
    },
}

/// The error returned when a text is not a [`HostRule`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostRuleError(String);

impl fmt::Display for HostRuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} is not a host: expected a name, `*.` and a name, `*`, an address or a network such as 10.0.0.0/8, with or without a port",
            self.0
        )
    }
}

impl std::error::Error for HostRuleError {}

impl HostRule {
    /// The rule for every public host.
    pub const PUBLIC: Self = Self { pattern: HostPattern::Public, port: None };

    /// Returns whether a name in lower case may be reached, if its addresses may.
    #[must_use]
    pub fn covers_name(&self, name: &str, port: u16) -> bool {
        self.covers_port(port)
            && match &self.pattern {
                HostPattern::Public => true,
                HostPattern::Name(own) => own == name,
                HostPattern::Below(own) => {
                    name.strip_suffix(own.as_str()).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
                }
                HostPattern::Addresses { .. } => false,
            }
    }

    /// Returns whether the rule lists an address, which may be a private one.
    #[must_use]
    pub fn covers_address(&self, address: IpAddr, port: u16) -> bool {
        let HostPattern::Addresses { first, bits } = self.pattern else { return false };
        self.covers_port(port)
            && match (first, address.to_canonical()) {
                (IpAddr::V4(first), IpAddr::V4(address)) => {
                    let mask = u32::MAX.checked_shl(32 - u32::from(bits)).unwrap_or_default();
                    (u32::from(first) ^ u32::from(address)) & mask == 0
                }
                (IpAddr::V6(first), IpAddr::V6(address)) => {
                    let mask = u128::MAX.checked_shl(128 - u32::from(bits)).unwrap_or_default();
                    (u128::from(first) ^ u128::from(address)) & mask == 0
                }
                _ => false,
            }
    }

    /// Returns whether the rule covers every public host.
    #[must_use]
    pub fn covers_public(&self, port: u16) -> bool {
        self.pattern == HostPattern::Public && self.covers_port(port)
    }

    fn covers_port(&self, port: u16) -> bool {
        self.port.is_none_or(|own| own == port)
    }
}

impl FromStr for HostRule {
    type Err = HostRuleError;

    fn from_str(text: &str) -> Result<Self, HostRuleError> {
        parse(text).ok_or_else(|| HostRuleError(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<HostRule> {
    let (host, port) = match text.strip_prefix('[').map(|rest| rest.split_once(']')) {
        Some(bracketed) => {
            let (host, rest) = bracketed?;
            (host, if rest.is_empty() { None } else { Some(rest.strip_prefix(':')?) })
        }
        None if text.matches(':').count() == 1 => {
            text.split_once(':').map(|(host, port)| (host, Some(port)))?
        }
        None => (text, None),
    };
    let port = port.map(str::parse::<u16>).transpose().ok()?;
    (port != Some(0)).then_some(HostRule { pattern: pattern(host)?, port })
}

fn pattern(host: &str) -> Option<HostPattern> {
    if host == "*" {
        return Some(HostPattern::Public);
    }
    let (address, bits) = host.split_once('/').map_or((host, None), |(address, bits)| (address, Some(bits)));
    if let Ok(first) = address.parse::<IpAddr>() {
        let first = first.to_canonical();
        let most = if first.is_ipv4() { V4_BITS } else { V6_BITS };
        let bits = bits.map_or(Ok(most), str::parse).ok().filter(|bits| *bits <= most)?;
        return Some(HostPattern::Addresses { first, bits });
    }
    let host = host.to_ascii_lowercase();
    match host.strip_prefix("*.") {
        Some(name) => is_name(name).then(|| HostPattern::Below(name.to_owned())),
        None => is_name(&host).then_some(HostPattern::Name(host)),
    }
}

/// Returns whether a text is a name that programs do not interpret as an address, such as `127.1`.
fn is_name(text: &str) -> bool {
    const MAX_NAME: usize = 253;
    let is_label = |label: &str| {
        !label.is_empty()
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    };
    let last = text.rsplit('.').next().unwrap_or_default();
    let is_number = last.bytes().all(|byte| byte.is_ascii_digit()) || last.starts_with("0x");
    text.len() <= MAX_NAME && text.split('.').all(is_label) && !is_number
}

impl fmt::Display for HostRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pattern {
            HostPattern::Public => f.write_str("*")?,
            HostPattern::Name(name) => f.write_str(name)?,
            HostPattern::Below(name) => write!(f, "*.{name}")?,
            HostPattern::Addresses { first, bits } => {
                let is_whole = *bits == if first.is_ipv4() { V4_BITS } else { V6_BITS };
                let (open, close) =
                    if first.is_ipv6() && self.port.is_some() { ("[", "]") } else { ("", "") };
                match is_whole {
                    true => write!(f, "{open}{first}{close}")?,
                    false => write!(f, "{open}{first}/{bits}{close}")?,
                }
            }
        }
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

impl Serialize for HostRule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for HostRule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'_, str>>::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> HostRule {
        text.parse().unwrap()
    }

    #[test]
    fn a_rule_is_written_as_it_is_read() {
        for text in [
            "*",
            "*:443",
            "example.com",
            "example.com:8080",
            "*.example.com",
            "localhost",
            "10.0.0.0/8",
            "10.0.0.1:80",
            "10.0.0.0/8:80",
            "fd00::1",
            "[fd00::1]:80",
            "[fd00::/8]:80",
        ] {
            assert_eq!(rule(text).to_string(), text);
            assert_eq!(rule(&rule(text).to_string()), rule(text));
        }
        assert_eq!(rule("Example.COM").to_string(), "example.com");
        assert_eq!(rule("::ffff:10.0.0.1").to_string(), "10.0.0.1");
        assert_eq!(rule("10.0.0.1/32").to_string(), "10.0.0.1");
    }

    #[test]
    fn other_texts_are_not_rules() {
        for text in [
            "",
            " ",
            "*.",
            "**",
            "a*.com",
            "*.*",
            "https://example.com",
            "example.com/x",
            "example.com:",
            "example.com:0",
            "example.com:65536",
            "ann@example.com",
            "a..b",
            ".a",
            "a.",
            "127.1",
            "0x7f.1",
            "10.0.0.0/33",
            "10.0.0.0/",
            "[fd00::1",
            "[fd00::1]80",
            "fd00::1/129",
        ] {
            assert!(text.parse::<HostRule>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn rules_cover_their_names_and_addresses_on_their_ports() {
        assert!(rule("example.com").covers_name("example.com", 1));
        assert!(rule("example.com:443").covers_name("example.com", 443));
        assert!(!rule("example.com:443").covers_name("example.com", 80));
        assert!(!rule("example.com").covers_name("a.example.com", 1));
        for (name, is_covered) in [
            ("a.example.com", true),
            ("a.b.example.com", true),
            ("example.com", false),
            ("badexample.com", false),
        ] {
            assert_eq!(rule("*.example.com").covers_name(name, 1), is_covered, "{name}");
        }
        assert!(
            rule("*").covers_name("any", 1) && rule("*").covers_public(1) && !rule("*:2").covers_public(1)
        );
        let covers = |text: &str, address: &str| rule(text).covers_address(address.parse().unwrap(), 80);
        assert!(covers("10.0.0.0/8", "10.255.0.1") && !covers("10.0.0.0/8", "11.0.0.1"));
        assert!(covers("10.0.0.1", "::ffff:10.0.0.1") && !covers("10.0.0.1", "10.0.0.2"));
        assert!(covers("0.0.0.0/0", "1.2.3.4") && !covers("0.0.0.0/0", "::1"));
        assert!(covers("::/0", "::1") && covers("fd00::/8", "fd12::1") && !covers("fd00::/8", "fe80::1"));
        assert!(!covers("10.0.0.1:443", "10.0.0.1") && !covers("*", "10.0.0.1"));
        assert!(!rule("10.0.0.1").covers_name("10.0.0.1", 80));
    }
}
