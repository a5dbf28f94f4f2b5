//! Reads addresses in every form that a program accepts: the forms of `inet_aton`, and IPv6 with brackets, zone and prefix length.

use mgp_types::address::Zone;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The longest text that may be an address, in bytes.
const MAX_LENGTH: usize = 96;

/// The form in which an IPv4 address is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Four decimal parts, or IPv6.
    Usual,
    /// Two or three decimal parts, which may also be a decimal number or a version.
    Short,
    /// One number, in decimal.
    Number,
    /// Parts in octal or hexadecimal.
    Odd,
}

/// Returns the address that a whole text spells, and its form.
pub(super) fn read_address(text: &str) -> Option<(IpAddr, Form)> {
    if text.is_empty() || text.len() > MAX_LENGTH {
        return None;
    }
    let text = without_prefix_length(text);
    let text = text.strip_suffix('.').unwrap_or(text);
    let inner = text.strip_prefix('[').and_then(|inner| inner.strip_suffix(']'));
    let text = inner.filter(|inner| !inner.contains(':')).unwrap_or(text);
    read_v6(text).map(|ip| (ip.into(), Form::Usual)).or_else(|| {
        let (ip, form) = read_v4(text)?;
        Some((ip.into(), form))
    })
}

/// Returns whether an address belongs to this machine, a private network or a reserved range.
pub(super) fn is_private(ip: IpAddr) -> bool {
    Zone::of(ip) != Zone::Public
}

/// Returns a text without a prefix length of a network, such as `/24`.
fn without_prefix_length(text: &str) -> &str {
    match text.split_once('/') {
        Some((address, length)) if length.parse::<u8>().is_ok_and(|length| length <= 128) => address,
        _ => text,
    }
}

/// Reads an IPv4 address in the forms of `inet_aton`: one to four parts, each decimal, octal or hexadecimal.
pub(super) fn read_v4(text: &str) -> Option<(Ipv4Addr, Form)> {
    let parts: Vec<&str> = text.splitn(5, '.').collect();
    let [rest @ .., last] = &parts[..] else { return None };
    if rest.len() > 3 {
        return None;
    }
    let mut is_odd = false;
    let mut address = 0u64;
    for (at, part) in rest.iter().enumerate() {
        let (value, odd) = read_part(part)?;
        is_odd |= odd;
        address |= (value <= 255).then_some(value)? << (24 - 8 * at);
    }
    let (value, odd) = read_part(last)?;
    is_odd |= odd;
    let limit = 1u64 << (32 - 8 * rest.len());
    address |= (value < limit).then_some(value)?;
    let form = match rest.len() {
        _ if is_odd => Form::Odd,
        0 => Form::Number,
        3 => Form::Usual,
        _ => Form::Short,
    };
    Some((Ipv4Addr::from(u32::try_from(address).ok()?), form))
}

/// Reads a number in decimal, octal or hexadecimal, and returns whether it was not in decimal. A number with a leading 0 and a digit
/// 8 or 9 is decimal, as some programs read it.
fn read_part(part: &str) -> Option<(u64, bool)> {
    let digits = part.strip_prefix("0x").or_else(|| part.strip_prefix("0X"));
    if let Some(digits) = digits {
        let value = if digits.is_empty() { 0 } else { digits_of(digits, 16)? };
        return Some((value, true));
    }
    if part.len() > 1 && part.starts_with('0') {
        return digits_of(part, 8).or_else(|| digits_of(part, 10)).map(|value| (value, true));
    }
    digits_of(part, 10).map(|value| (value, false))
}

fn digits_of(digits: &str, radix: u32) -> Option<u64> {
    // A sign is not a digit, though it may stand before a number.
    digits.chars().all(|c| c.is_digit(radix)).then(|| u64::from_str_radix(digits, radix).ok())?
}

/// Reads an IPv6 address with or without brackets and a zone, or in the form of a Windows path.
fn read_v6(text: &str) -> Option<Ipv6Addr> {
    let inner = text.strip_prefix('[').map_or(text, |inner| inner.strip_suffix(']').unwrap_or(inner));
    if let Some(name) = inner.to_ascii_lowercase().strip_suffix(".ipv6-literal.net") {
        let address = name.split('s').next().unwrap_or_default().replace('-', ":");
        return address.parse().ok();
    }
    if !inner.contains(':') {
        return None;
    }
    let address = inner.split('%').next().unwrap_or_default();
    address.parse().ok().or_else(|| {
        // An IPv4 address at the end may be written in an odd form.
        let (front, end) = address.rsplit_once(':')?;
        let (v4, _) = end.contains('.').then(|| read_v4(end))??;
        format!("{front}:{v4}").parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_in_every_form() {
        for (text, address) in [
            ("127.0.0.1", "127.0.0.1"),
            ("127.1", "127.0.0.1"),
            ("10.258", "10.0.1.2"),
            ("0x7f.1", "127.0.0.1"),
            ("017700000001", "127.0.0.1"),
            ("2130706433", "127.0.0.1"),
            ("0", "0.0.0.0"),
            ("10.0.0.0/8", "10.0.0.0"),
            ("127.0.0.1.", "127.0.0.1"),
            ("[::1]", "::1"),
            ("fe80::1%eth0", "fe80::1"),
            ("[fe80::1%25eth0]", "fe80::1"),
            ("fd00::/8", "fd00::"),
            ("::ffff:127.0.0.1", "::ffff:127.0.0.1"),
            ("--1.ipv6-literal.net", "::1"),
        ] {
            let read = read_address(text).map(|(ip, _)| ip);
            assert_eq!(read, Some(address.parse().unwrap()), "{text}");
        }
        for text in ["", "1.2.3.4.5", "256.1.1.1", "a", "-1", "+1", "4294967296", ":", "10:30"] {
            assert_eq!(read_address(text), None, "{text}");
        }
    }
}
