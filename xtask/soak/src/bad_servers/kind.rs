//! The kinds of bad servers, one server each.

use std::net::SocketAddr;

/// The number of the first bad server; the good ones have lower numbers.
pub(crate) const FIRST: usize = 10_000;
/// A port on which nothing listens.
const NOBODY: &str = "http://127.0.0.1:1/mcp";
/// A variable that is not set.
const UNSET: &str = "${SOAK_VARIABLE_THAT_IS_NOT_SET}";

/// A bad server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BadServer {
    pub(super) kind: Kind,
    /// The id in the configuration.
    pub(crate) id: &'static str,
    /// The name in the table.
    pub(crate) what: &'static str,
    /// True if the kernel stays connected to the server, false if it never is; `None` if the connection comes and goes.
    pub(crate) connects: Option<bool>,
}

/// A way to be bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    // Slow.
    Silent,
    SlowStart,
    SlowCalls,
    SilentCalls,
    StopsReading,
    Trickles,
    HttpSilent,
    // Dead.
    Exits,
    DiesInHandshake,
    DiesAfterList,
    DiesInCalls,
    NoProgram,
    UnsetVariable,
    Refuses,
    HttpCloses,
    // Wrong.
    OtherIds,
    TextIds,
    OddTools,
    EndlessList,
    HalfMessages,
    HttpFails,
    HttpForgets,
    HttpUnauthorized,
    // Flooding.
    Notifications,
    ListChanges,
    Requests,
    Garbage,
    Stderr,
    LargeAnswers,
    HttpStream,
}

const fn bad(kind: Kind, id: &'static str, what: &'static str, connects: Option<bool>) -> BadServer {
    BadServer { kind, id, what, connects }
}

/// All bad servers, by number from [`FIRST`] on.
pub(crate) static ALL: [BadServer; 30] = [
    bad(Kind::Silent, "slow-silent", "servers that never answer", Some(false)),
    bad(Kind::SlowStart, "slow-start", "servers that start slowly", None),
    bad(Kind::SlowCalls, "slow-calls", "servers whose calls are slow", Some(true)),
    bad(Kind::SilentCalls, "slow-silent-calls", "servers whose calls never end", Some(true)),
    bad(Kind::StopsReading, "slow-stops-reading", "servers that stop reading", None),
    bad(Kind::Trickles, "slow-trickles", "servers that write byte by byte", None),
    bad(Kind::HttpSilent, "slow-http", "servers over HTTP that never answer", Some(false)),
    bad(Kind::Exits, "dead-exits", "programs that end at once", Some(false)),
    bad(Kind::DiesInHandshake, "dead-in-handshake", "servers that die in the handshake", Some(false)),
    bad(Kind::DiesAfterList, "dead-after-list", "servers that die after they are listed", None),
    bad(Kind::DiesInCalls, "dead-in-calls", "servers that die in each call", None),
    bad(Kind::NoProgram, "dead-no-program", "programs that are not there", Some(false)),
    bad(Kind::UnsetVariable, "dead-unset-variable", "servers with an unset variable", Some(false)),
    bad(Kind::Refuses, "dead-refuses", "addresses that refuse connections", Some(false)),
    bad(Kind::HttpCloses, "dead-http", "servers over HTTP that close connections", Some(false)),
    bad(Kind::OtherIds, "wrong-ids", "servers that answer with other ids", Some(false)),
    bad(Kind::TextIds, "wrong-text-ids", "servers that answer with ids as text", None),
    bad(Kind::OddTools, "wrong-tools", "servers with odd tools", Some(true)),
    bad(Kind::EndlessList, "wrong-list", "servers whose list has no end", None),
    bad(Kind::HalfMessages, "wrong-halves", "servers that write half messages", Some(false)),
    bad(Kind::HttpFails, "wrong-http", "servers over HTTP that answer 500", Some(false)),
    bad(Kind::HttpForgets, "wrong-sessions", "servers over HTTP that forget their sessions", None),
    bad(Kind::HttpUnauthorized, "wrong-401", "servers over HTTP that answer 401", Some(false)),
    bad(Kind::Notifications, "floods-notifications", "servers that flood with notifications", Some(true)),
    bad(Kind::ListChanges, "floods-list", "servers whose list changes all the time", Some(true)),
    bad(Kind::Requests, "floods-requests", "servers that flood with requests", Some(true)),
    bad(Kind::Garbage, "floods-garbage", "servers that flood with garbage", None),
    bad(Kind::Stderr, "floods-stderr", "servers that flood their stderr", Some(true)),
    bad(Kind::LargeAnswers, "floods-answers", "servers with large answers", Some(true)),
    bad(Kind::HttpStream, "floods-http", "servers over HTTP that flood their streams", None),
];

/// Returns the server whose process ends at once.
pub(crate) fn that_ends_at_once() -> &'static BadServer {
    ALL.iter().find(|bad| bad.kind == Kind::Exits).unwrap_or(&ALL[0])
}

impl BadServer {
    /// Returns the bad server with a number; `None` for the number of a good one.
    pub(crate) fn of(number: usize) -> Option<&'static Self> {
        ALL.get(number.checked_sub(FIRST)?)
    }

    /// Returns the number of the server's child.
    pub(crate) fn number(&self) -> usize {
        FIRST + ALL.iter().position(|other| other == self).unwrap_or_default()
    }

    /// Returns the name of the server's tool.
    pub(crate) fn tool(&self) -> String {
        format!("answer-{}", self.id)
    }

    /// Returns the keys of the configuration with which the server is reached.
    pub(crate) fn address(&self, program: &str, mark: &str, http: SocketAddr) -> String {
        let url = |url: &str| format!("url = {url:?}\n");
        let command = |program: &str, args: &[&str]| format!("command = {program:?}\nargs = {args:?}\n");
        match self.kind {
            Kind::Refuses => url(NOBODY),
            Kind::HttpSilent
            | Kind::HttpCloses
            | Kind::HttpFails
            | Kind::HttpForgets
            | Kind::HttpUnauthorized
            | Kind::HttpStream => url(&format!("http://{http}/{}", self.id)),
            Kind::NoProgram => command("soak-program-that-is-not-there", &[]),
            Kind::UnsetVariable => command(program, &[UNSET]),
            _ => command(program, &["--child", &self.number().to_string(), mark]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_bad_server_has_an_id_and_a_number_of_its_own() {
        let ids: BTreeSet<_> = ALL.iter().map(|bad| bad.id).collect();
        let names: BTreeSet<_> = ALL.iter().map(|bad| bad.what).collect();
        assert_eq!((ids.len(), names.len()), (ALL.len(), ALL.len()));
        for bad in &ALL {
            assert_eq!(BadServer::of(bad.number()), Some(bad));
        }
        for family in ["slow-", "dead-", "wrong-", "floods-"] {
            assert!(ids.iter().filter(|id| id.starts_with(family)).count() > 6, "{family}");
        }
        assert_eq!((BadServer::of(FIRST - 1), BadServer::of(FIRST + ALL.len())), (None, None));
    }
}
