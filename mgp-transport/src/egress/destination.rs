//! The host and the port that a server requests.

use super::error::EgressError;
use mgp_types::{address::Zone, context::HostRule};
use std::{
    fmt,
    net::{IpAddr, SocketAddr},
};

/// The longest name of a host.
const MAX_NAME: usize = 253;

/// The host and the port that a server requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Destination {
    pub(super) host: Host,
    pub(super) port: u16,
}

/// A host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Host {
    /// A name in lower case, without a dot at its end.
    Name(String),
    Address(IpAddr),
}

impl Destination {
    /// Reads a host, which may be an address in brackets.
    pub(super) fn new(host: &str, port: u16) -> Result<Self, EgressError> {
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        if let Ok(address) = bare.parse() {
            return Ok(Self { host: Host::Address(address), port });
        }
        let name = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
        if name.is_empty() || name.len() > MAX_NAME || !name.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(EgressError::Malformed("the name of the host is invalid"));
        }
        Ok(Self { host: Host::Name(name), port })
    }

    /// Returns those addresses of the host that the server may reach.
    ///
    /// # Errors
    /// Returns an error if there are none.
    pub(super) fn permitted(
        &self,
        addresses: &[IpAddr],
        rules: &[HostRule],
        is_own: fn(IpAddr) -> bool,
    ) -> Result<Vec<SocketAddr>, EgressError> {
        let is_listed = |address: &IpAddr| rules.iter().any(|rule| rule.covers_address(*address, self.port));
        let is_foreign = |address: &IpAddr| Zone::of(*address) == Zone::Public && !is_own(*address);
        let is_permitted = |address: &&IpAddr| is_listed(address) || is_foreign(address);
        let permitted: Vec<_> = addresses.iter().filter(is_permitted).collect();
        if let (true, Some(address)) = (permitted.is_empty(), addresses.first()) {
            let text = match Zone::of(*address) {
                Zone::Public => format!("{self} leads to {address}, which is this machine and not listed"),
                zone => format!("{self} leads to {address}, which is {zone} and not listed as an address"),
            };
            return Err(EgressError::Forbidden(text));
        }
        Ok(permitted.into_iter().map(|address| SocketAddr::new(*address, self.port)).collect())
    }

    /// Checks that the server may request the host, before any look-up.
    pub(super) fn check(&self, rules: &[HostRule]) -> Result<(), EgressError> {
        let is_covered = |rule: &HostRule| match &self.host {
            Host::Name(name) => rule.covers_name(name, self.port),
            Host::Address(address) => {
                rule.covers_address(*address, self.port) || rule.covers_public(self.port)
            }
        };
        if rules.iter().any(is_covered) {
            return Ok(());
        }
        Err(EgressError::Forbidden(format!("{self} is not among the hosts that this server may reach")))
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Host::Name(name) => write!(f, "{name}:{}", self.port),
            Host::Address(address) => SocketAddr::new(*address, self.port).fmt(f),
        }
    }
}
