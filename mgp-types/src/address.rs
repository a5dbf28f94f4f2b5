//! The network zone of an IP address: the single judgement of which addresses are private, for all code that must not
//! reach them.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::fmt;

/// The network zone of an address. A zone is greater if fewer machines can reach it.
///
/// An IPv6 address that embeds an IPv4 address (mapped, compatible, translated, 6to4) is in the zone of the embedded one.
///
/// ```
/// use mgp_types::address::Zone;
/// assert_eq!(Zone::of("1.1.1.1".parse()?), Zone::Public);
/// assert_eq!(Zone::of("::ffff:10.0.0.1".parse()?), Zone::Private);
/// assert_eq!(Zone::of("169.254.169.254".parse()?), Zone::Local);
/// # Ok::<(), core::net::AddrParseError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Zone {
    /// The internet.
    Public,
    /// A private network, a group of machines, or an address that is reserved.
    Private,
    /// This machine, or the link that the machine is on, including the metadata services of clouds.
    Local,
}

impl Zone {
    /// Returns the zone of an address.
    #[must_use]
    pub const fn of(ip: IpAddr) -> Self {
        match ip {
            IpAddr::V4(ip) => Self::of_v4(ip),
            IpAddr::V6(ip) => Self::of_v6(ip),
        }
    }

    /// Returns the zone of an IPv4 address (the special-purpose registry of RFC 6890).
    #[must_use]
    pub const fn of_v4(ip: Ipv4Addr) -> Self {
        match ip.octets() {
            // This host, loopback, link-local, and Azure's platform address, which no other machine answers.
            [0 | 127, ..] | [169, 254, ..] | [168, 63, 129, 16] => Self::Local,
            // RFC 1918.
            [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => Self::Private,
            // Shared by providers (RFC 6598), protocol assignments, benchmarks, the old relays of 6to4.
            [100, 64..=127, ..] | [192, 0, 0, _] | [198, 18..=19, ..] | [192, 88, 99, _] => Self::Private,
            // Documentation.
            [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => Self::Private,
            // Multicast, reserved, broadcast.
            [224..=255, ..] => Self::Private,
            _ => Self::Public,
        }
    }

    /// Returns the zone of an IPv6 address.
    #[must_use]
    pub const fn of_v6(ip: Ipv6Addr) -> Self {
        match ip.segments() {
            // Unspecified and loopback.
            [0, 0, 0, 0, 0, 0, 0, 0 | 1] => Self::Local,
            // IPv4-compatible and IPv4-mapped.
            [0, 0, 0, 0, 0, 0 | 0xffff, high, low] => Self::embedded(high, low),
            // IPv4-translated, and behind a translator (RFC 6052).
            [0, 0, 0, 0, 0xffff, 0, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
                Self::embedded(high, low)
            }
            // 6to4.
            [0x2002, high, low, ..] => Self::embedded(high, low),
            // Link-local.
            [0xfe80..=0xfebf, ..] => Self::Local,
            // Teredo, benchmarks, ORCHID: their destination is hidden, or does not exist.
            [0x2001, 0 | 0x10..=0x2f, ..] | [0x2001, 2, 0, ..] => Self::Private,
            // Documentation.
            [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => Self::Private,
            [first, ..] if first & 0xe000 == 0x2000 => Self::Public,
            // No other range is allocated on the internet: unique local, site-local, multicast, local translators, discard.
            _ => Self::Private,
        }
    }

    const fn embedded(high: u16, low: u16) -> Self {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Self::of_v4(Ipv4Addr::new(a, b, c, d))
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Public => "public",
            Self::Private => "private",
            Self::Local => "local",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_address_has_its_zone() {
        for (zone, addresses) in [
            (
                Zone::Local,
                &[
                    "0.0.0.0",
                    "0.1.2.3",
                    "127.0.0.1",
                    "127.255.255.255",
                    "169.254.0.1",
                    "169.254.169.254",
                    "168.63.129.16",
                    "::",
                    "::1",
                    "fe80::1",
                    "febf::1",
                    "::127.0.0.1",
                    "::ffff:127.0.0.1",
                    "::ffff:169.254.169.254",
                    "::ffff:0:127.0.0.1",
                    "64:ff9b::127.0.0.1",
                    "2002:7f00:1::",
                    "2002:a9fe:a9fe::1",
                ][..],
            ),
            (
                Zone::Private,
                &[
                    "10.1.2.3",
                    "172.16.0.1",
                    "172.31.255.255",
                    "192.168.0.1",
                    "100.64.0.1",
                    "100.100.100.200",
                    "100.127.255.255",
                    "192.0.0.192",
                    "192.0.2.1",
                    "198.51.100.1",
                    "203.0.113.1",
                    "192.88.99.1",
                    "198.18.0.1",
                    "198.19.255.255",
                    "224.0.0.1",
                    "239.255.255.255",
                    "240.0.0.1",
                    "255.255.255.255",
                    "fc00::1",
                    "fd00:ec2::254",
                    "fec0::1",
                    "ff02::1",
                    "ff0e::1",
                    "2001::1",
                    "2001:2::1",
                    "2001:10::1",
                    "2001:20::1",
                    "2001:db8::1",
                    "3fff::1",
                    "3fff:fff::1",
                    "100::1",
                    "4000::1",
                    "5f00::1",
                    "::ffff:10.0.0.1",
                    "::10.0.0.1",
                    "64:ff9b::10.0.0.1",
                    "64:ff9b:1::8.8.8.8",
                    "2002:c0a8:1::",
                ],
            ),
            (
                Zone::Public,
                &[
                    "1.1.1.1",
                    "8.8.8.8",
                    "9.255.255.255",
                    "11.0.0.0",
                    "100.63.255.255",
                    "100.128.0.1",
                    "169.253.1.1",
                    "172.15.255.255",
                    "172.32.0.1",
                    "192.0.1.1",
                    "192.167.1.1",
                    "198.17.1.1",
                    "198.20.0.1",
                    "223.255.255.255",
                    "2606:4700::1111",
                    "2001:2:1::1",
                    "2001:4860:4860::8888",
                    "2001:db9::1",
                    "3fff:1000::1",
                    "::ffff:8.8.8.8",
                    "64:ff9b::8.8.8.8",
                    "2002:808:808::1",
                ],
            ),
        ] {
            for address in addresses {
                assert_eq!(Zone::of(address.parse().unwrap()), zone, "{address}");
            }
        }
    }

    #[test]
    fn a_zone_reachable_by_fewer_machines_is_greater() {
        assert!(Zone::Public < Zone::Private && Zone::Private < Zone::Local);
    }
}
