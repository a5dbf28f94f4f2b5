//! The addresses of this machine.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

/// Returns whether an address is one of this machine's own. Nothing is sent.
pub(super) fn is_own(address: IpAddr) -> bool {
    let address = address.to_canonical();
    leads_back(address) || binds(address) && !binds_any(address)
}

/// Returns whether the route to an address starts at the same address.
fn leads_back(address: IpAddr) -> bool {
    /// The discard port; nothing is sent to it.
    const DISCARD: u16 = 9;
    let any: IpAddr =
        if address.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let way = UdpSocket::bind((any, 0)).and_then(|socket| {
        socket.connect((address, DISCARD))?;
        socket.local_addr()
    });
    way.is_ok_and(|way| way.ip() == address)
}

/// Returns whether a socket can bind to an address. The route to a second address of a device starts at the first one.
fn binds(address: IpAddr) -> bool {
    UdpSocket::bind((address, 0)).is_ok()
}

/// Returns whether this machine lets sockets bind to any address, which makes [`binds`] meaningless.
fn binds_any(address: IpAddr) -> bool {
    // Addresses reserved for documentation, which no machine has.
    match address {
        IpAddr::V4(_) => binds(Ipv4Addr::new(192, 0, 2, 1).into()),
        IpAddr::V6(_) => binds(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_s_addresses_are_its_own() {
        for own in ["127.0.0.1", "127.0.0.2", "::ffff:127.0.0.1"] {
            assert!(is_own(own.parse().unwrap()), "{own}");
        }
        for other in ["192.0.2.7", "198.51.100.1", "2001:db8::7"] {
            assert!(!is_own(other.parse().unwrap()), "{other}");
        }
        // The route to it starts elsewhere, so only a socket can find out.
        assert!(!leads_back("127.0.0.2".parse().unwrap()));
    }
}
