//! The addresses by which replicas on other machines reach this one.

use super::{
    context::Context,
    finding::{Finding, Kind, Remedy},
};
use mgp_discovery::config::{Secret, Text};
use std::net::{IpAddr, SocketAddr};

/// The key of the address to listen on.
const LISTEN: &str = "replicas.listen";
/// The key of the address that other replicas are given.
const ADVERTISE: &str = "replicas.advertise";

/// The settings that decide whether other machines reach this one.
#[derive(Debug, Clone, Copy)]
struct Addresses<'a> {
    listen: SocketAddr,
    advertise: Option<&'a str>,
    http: Option<SocketAddr>,
    database: Option<&'a str>,
}

pub(super) fn check(context: &Context) -> Vec<Finding> {
    let Some(config) = &context.config else { return Vec::new() };
    let Some(listen) = config.replicas.listen else { return Vec::new() };
    let of_environment = context.environment.variable("MGP_STORE_URL");
    let addresses = Addresses {
        listen,
        advertise: config.replicas.advertise.as_ref().map(Text::value),
        http: config.http.listen,
        database: of_environment.or(config.store.url.as_ref().map(Secret::reveal)),
    };
    addresses.finding().into_iter().collect()
}

impl Addresses<'_> {
    /// Returns the first fault. A name is not looked up, because that would use the network.
    fn finding(self) -> Option<Finding> {
        self.loopback().or_else(|| self.difference())
    }

    /// Returns the finding on an address that only this machine can reach, if other machines seem to have replicas.
    fn loopback(self) -> Option<Finding> {
        let Self { listen, advertise, http, database } = self;
        let advertised = advertise.map(|address| (address, split(address).0));
        let (key, address) = match advertised {
            _ if listen.ip().is_loopback() => (LISTEN, listen.to_string()),
            Some((address, host)) if is_loopback(host) => (ADVERTISE, address.to_owned()),
            _ => return None,
        };
        let sign = match advertised {
            Some((advertise, host)) if !is_loopback(host) => {
                format!("{ADVERTISE} = {advertise} is an address for other machines")
            }
            _ if !listen.ip().is_loopback() => format!("{LISTEN} = {listen} is for other machines"),
            _ => match http.filter(|http| !http.ip().is_loopback()) {
                Some(http) => format!("http.listen = {http} serves other machines"),
                None if database.is_some_and(is_elsewhere) => {
                    "the database of store.url is on another machine".to_owned()
                }
                None => return None,
            },
        };
        let problem = format!("{key} = {address} can be reached only from this machine, and {sign}");
        Some(Finding::new(Kind::ConfigReplicasLoopback, problem, Remedy::Key(key.to_owned())))
    }

    /// Returns the finding on an address for other replicas that is not the address to listen on.
    fn difference(self) -> Option<Finding> {
        let Self { listen, advertise, .. } = self;
        let advertise = advertise?;
        let (host, port) = split(advertise);
        let other_port = port != Some(listen.port()) && listen.port() != 0;
        let other_host = !listen.ip().is_unspecified() && ip(host).is_some_and(|ip| ip != listen.ip());
        let part = match (other_host, other_port) {
            (false, false) => return None,
            (true, false) => "another address",
            (false, true) => "another port",
            (true, true) => "another address and port",
        };
        let problem = format!(
            "{ADVERTISE} = {advertise} has {part} than {LISTEN} = {listen}; other replicas reach this one only if that is forwarded"
        );
        Some(Finding::new(Kind::ConfigReplicasAdvertise, problem, Remedy::Key(ADVERTISE.to_owned())))
    }
}

/// Returns the host and the port of an address.
fn split(address: &str) -> (&str, Option<u16>) {
    match address.rsplit_once(':') {
        Some((host, port)) => (host, port.parse().ok()),
        None => (address, None),
    }
}

/// Returns the IP address that a host is; `None` for a name.
fn ip(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || ip(host).is_some_and(|ip| ip.is_loopback())
}

/// Returns whether the URL of a database names another machine. A socket, and a host that is not known yet, do not.
fn is_elsewhere(url: &str) -> bool {
    let Some((_, rest)) = url.split_once("://") else { return false };
    // The password may hold any character but this one.
    let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
    let authority = rest.split(['/', '?', ',']).next().unwrap_or_default();
    let host = match split(authority) {
        (host, Some(_)) => host,
        (_, None) => authority,
    };
    !(host.is_empty() || host.starts_with('%') || host.contains('$') || is_loopback(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REMOTE: &str = "postgres://mgp:${file:/run/secrets/a}@db.example.com:5432/mgp";

    /// Returns the id of the finding with its key, and its problem.
    fn found(listen: &str, advertise: Option<&str>, http: Option<&str>, database: &str) -> Option<String> {
        let (listen, http) = (listen.parse().unwrap(), http.map(|http| http.parse().unwrap()));
        let finding = Addresses { listen, advertise, http, database: Some(database) }.finding()?;
        let Remedy::Key(key) = &finding.remedy else { panic!("{finding:?}") };
        Some(format!("{} {key}: {}", finding.id.id(), finding.problem))
    }

    #[test]
    fn a_loopback_is_a_fault_if_others_must_reach_it() {
        let (local, open) = ("postgres://mgp@localhost/mgp", Some("0.0.0.0:7433"));
        for (listen, advertise, http, database, expected) in [
            (
                "127.0.0.1:1",
                None,
                open,
                local,
                Some(
                    "listen: replicas.listen = 127.0.0.1:1 can be reached only from this machine, and http.listen = 0.0.0.0:7433 serves",
                ),
            ),
            (
                "[::1]:1",
                None,
                None,
                REMOTE,
                Some(
                    "listen: replicas.listen = [::1]:1 can be reached only from this machine, and the database of store.url is",
                ),
            ),
            (
                "127.0.0.1:1",
                Some("10.0.0.5:1"),
                None,
                local,
                Some(
                    "listen: replicas.listen = 127.0.0.1:1 can be reached only from this machine, and replicas.advertise = 10.0.0.5:1 is",
                ),
            ),
            (
                "0.0.0.0:1",
                Some("localhost:1"),
                None,
                local,
                Some(
                    "advertise: replicas.advertise = localhost:1 can be reached only from this machine, and replicas.listen = 0.0.0.0:1 is",
                ),
            ),
            // Several gateways on one machine.
            ("127.0.0.1:1", None, None, local, None),
            ("127.0.0.1:1", Some("localhost:1"), Some("127.0.0.1:7433"), local, None),
            ("10.0.0.5:1", None, open, REMOTE, None),
        ] {
            let finding = found(listen, advertise, http, database);
            let expected = expected.map(|expected| format!("config-replicas-loopback replicas.{expected}"));
            let is_expected = match (&finding, &expected) {
                (Some(finding), Some(expected)) => finding.starts_with(expected),
                (finding, expected) => finding.is_none() && expected.is_none(),
            };
            assert!(is_expected, "{listen} {advertise:?} {http:?} {database}: {finding:?}");
        }
    }

    #[test]
    fn an_advertised_address_that_differs_is_shown() {
        for (listen, advertise, part) in [
            ("10.0.0.5:7434", "10.0.0.6:7434", Some("another address than")),
            ("10.0.0.5:7434", "10.0.0.5:7435", Some("another port than")),
            ("10.0.0.5:7434", "[fd00::1]:1", Some("another address and port than")),
            ("0.0.0.0:7434", "10.0.0.5:7433", Some("another port than")),
            ("[fd00::1]:7434", "[fd00::1]:7434", None),
            ("0.0.0.0:7434", "10.0.0.5:7434", None),
            ("10.0.0.5:7434", "gateway-1:7434", None),
            ("10.0.0.5:0", "10.0.0.5:7434", None),
        ] {
            let finding = found(listen, Some(advertise), None, REMOTE);
            let Some(part) = part else {
                assert_eq!(finding, None, "{listen} {advertise}");
                continue;
            };
            let finding = finding.unwrap_or_else(|| panic!("{listen} {advertise}"));
            assert!(finding.starts_with("config-replicas-advertise replicas.advertise: "), "{finding}");
            assert!(
                finding.contains(&format!("{advertise} has {part} replicas.listen = {listen};")),
                "{finding}"
            );
        }
    }

    #[test]
    fn a_database_behind_a_socket_or_a_loopback_is_here() {
        for (url, expected) in [
            (REMOTE, true),
            ("postgres://db/mgp", true),
            ("postgres://10.0.0.1:5432,10.0.0.2:5432/mgp", true),
            ("postgres://mgp@%2Frun%2Fpostgresql/mgp", false),
            ("postgres:///mgp?host=/run/postgresql", false),
            ("postgres://mgp:p@[::1]:5432/mgp", false),
            ("postgres://127.0.0.1/mgp", false),
            ("${keyring:store}", false),
        ] {
            assert_eq!(is_elsewhere(url), expected, "{url}");
        }
    }
}
