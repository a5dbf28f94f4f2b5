//! Names of members, by their contents.

use crate::words::words;
use icu_normalizer::uts46::Uts46MapperBorrowed;

/// The kind of a member, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemberKind {
    /// A member for hosts, in which a name without a dot is a host.
    Host,
    /// A member for hosts or URLs, or for something else of the same name: names without a dot do not count.
    Likely,
    /// A member for a command or its arguments.
    Command,
    /// A member for code, markup or a configuration.
    Code,
    /// A member for versions, sections and the like, in which numbers with dots are not addresses.
    Version,
    /// A member for a count, an identifier, an amount and the like.
    Otherwise,
    /// Any other member.
    Other,
}

/// Words in a member's name for a host.
const HOSTS: &[&str] = &[
    "host",
    "hostname",
    "hostaddr",
    "hostport",
    "server",
    "proxy",
    "url",
    "uri",
    "addr",
    "upstream",
    "broker",
    "nameserver",
    "bastion",
    "jumphost",
    "netloc",
    "authority",
    "seed",
    "sentinel",
    "computer",
    "machine",
    "relay",
    "kdc",
    "controller",
    "resolver",
    "externalname",
    "ldapuri",
    "zookeeper",
    "brokers",
    "kafka",
    "hostnames",
    "relayhost",
    "proxyjump",
    "serveur",
    "servidor",
    "hôte",
    "ssh",
    "pghost",
    "httphost",
    "socks",
    "inventory",
    "contactpoints",
    "servername",
    "datasource",
    "datasrc",
    "failover",
    "remotehost",
    "externaldatabase",
    "kdc",
    "mx",
];

/// Words in a member's name that may be for a host.
const LIKELY: &[&str] = &[
    "endpoint",
    "address",
    "ip",
    "ipv4",
    "ipv6",
    "href",
    "src",
    "webhook",
    "callback",
    "backend",
    "gateway",
    "peer",
    "node",
    "registry",
    "mirror",
    "remote",
    "dns",
    "smtp",
    "imap",
    "ldap",
    "ntp",
    "syslog",
    "statsd",
    "otlp",
    "collector",
    "listen",
    "bind",
    "base",
    "baseurl",
    "dsn",
    "connection",
    "repo",
    "repository",
    "clone",
    "issuer",
    "audience",
    "forward",
    "tunnel",
    "device",
    "printer",
    "camera",
    "cache",
    "database",
    "db",
    "master",
    "replica",
    "primary",
    "target",
    "link",
    "origin",
    "domain",
    "site",
    "website",
    "netmask",
    "cidr",
    "subnet",
    "network",
    "range",
    "scope",
    "location",
    "redirect",
    "next",
    "return",
    "goto",
    "continue",
    "connect",
    "image",
    "avatar",
    "icon",
    "logo",
    "feed",
    "page",
    "adresse",
    "адрес",
    "хост",
    "主机",
    "地址",
    "ホスト",
    "contact",
    "points",
    "resolve",
    "display",
    "exporter",
    "unc",
    "share",
    "dest",
    "destination",
    "dst",
    "interface",
    "cluster",
    "route",
    "aliases",
    "prefix",
    "records",
    "bytes",
    "expose",
];

/// Words in a member's name for a command.
const COMMANDS: &[&str] = &[
    "command",
    "cmd",
    "cmdline",
    "args",
    "arg",
    "argv",
    "script",
    "shell",
    "run",
    "exec",
    "entrypoint",
    "bash",
    "opts",
    "curl",
    "params",
];

/// Words in a member's name for code, markup or a configuration.
const CODE: &[&str] = &[
    "code",
    "snippet",
    "expression",
    "program",
    "html",
    "css",
    "svg",
    "xml",
    "sql",
    "query",
    "markdown",
    "config",
    "conf",
    "yaml",
    "toml",
    "ini",
    "nginx",
    "body",
    "javascript",
    "js",
    "python",
    "template",
    "source",
    "eval",
    "dockerfile",
    "compose",
    "manifest",
    "workflow",
    "terraform",
];

/// Last words of a member's name for a version or a section.
const VERSIONS: &[&str] = &[
    "version",
    "versions",
    "section",
    "sections",
    "chapter",
    "heading",
    "release",
    "tag",
    "build",
    "revision",
    "ref",
    "clause",
    "number",
    "oid",
    "paragraph",
    "kernel",
    "firmware",
    "driver",
    "requires",
    "semver",
    "assembly",
    "package",
    "packages",
    "dependencies",
    "module",
    "class",
    "import",
    "symbol",
];

/// Last words of a member's name for other facts about a host.
const OTHERWISE: &[&str] = &[
    "port",
    "ports",
    "id",
    "ids",
    "count",
    "index",
    "size",
    "width",
    "height",
    "limit",
    "timeout",
    "type",
    "kind",
    "status",
    "total",
    "length",
    "seconds",
    "ms",
    "retries",
    "mask",
    "amount",
    "price",
    "sum",
    "percentage",
    "weight",
    "age",
    "rating",
    "score",
    "lat",
    "lon",
    "latitude",
    "longitude",
    "date",
    "time",
    "phone",
    "temperature",
    "views",
    "timezone",
    "zone",
    "salary",
    "revenue",
    "population",
    "ns",
    "us",
    "cents",
    "ratio",
    "number",
    "agent",
    "bytes",
    "capacity",
    "year",
    "years",
    "color",
];

/// Endings of names that are written as one word, such as `dbhost`.
const ENDINGS: &[&str] =
    &["url", "uri", "host", "hostname", "proxy", "server", "addr", "servers", "hosts", "urls"];

/// Returns the kind of a member of this name.
pub(super) fn member_kind(key: &str) -> MemberKind {
    let key: String = if key.is_ascii() {
        key.to_owned()
    } else {
        Uts46MapperBorrowed::new().map_normalize(key.chars()).collect()
    };
    let words: Vec<String> = words(&key)
        .into_iter()
        .map(|word| word.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned())
        .collect();
    let full = crate::words::words(&key);
    let Some(last) = words.iter().rev().find(|word| !word.is_empty()) else { return MemberKind::Other };
    let joined = key.to_lowercase().replace(['_', '-'], "");
    let is_joined = ["externalname", "contactpoints", "computername", "datasource", "servername"]
        .contains(&joined.as_str());
    let any = |list: &[&str]| words.iter().chain(&full).any(|word| is_of(word, |word| list.contains(&word)));
    let last_is = |list: &[&str]| list.contains(&last.as_str());
    let is_glued = words
        .iter()
        .any(|word| ENDINGS.iter().any(|ending| word.len() > ending.len() && word.ends_with(ending)));
    if last_is(VERSIONS) {
        MemberKind::Version
    } else if last_is(OTHERWISE) && !key.eq_ignore_ascii_case("host_port") && key != "hostPort" {
        MemberKind::Otherwise
    } else if is_of(last, |word| COMMANDS.contains(&word)) {
        MemberKind::Command
    } else if any(HOSTS) || is_glued || is_joined {
        MemberKind::Host
    } else if any(LIKELY) {
        MemberKind::Likely
    } else if is_of(last, |word| CODE.contains(&word)) {
        MemberKind::Code
    } else {
        MemberKind::Other
    }
}

/// Returns whether a member of this name holds an address as a number.
pub(super) fn holds_address_numbers(key: &str) -> bool {
    words(key)
        .last()
        .is_some_and(|last| is_of(last, |word| ["ip", "ipv4", "address", "addr", "host"].contains(&word)))
}

/// Returns whether a number in a member of this name is a seed of random numbers.
pub(super) fn holds_random_seeds(key: &str) -> bool {
    words(key).last().is_some_and(|last| last == "seed")
}

/// Returns whether a word, or its singular, meets a condition.
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
    fn a_name_says_what_its_member_holds_however_it_is_written() {
        for (kind, keys) in [
            (
                MemberKind::Host,
                &["url", "URLs", "baseUrl", "hosts", "host_names", "dbhost", "proxies", "--host", "host1"][..],
            ),
            (MemberKind::Likely, &["target-ip", "x.endpoint", "allowedOrigins", "IP", "ipv6", "addresses"]),
            (MemberKind::Command, &["command", "args", "curl_opts"]),
            (MemberKind::Version, &["version", "server_version", "section"]),
            (MemberKind::Otherwise, &["port", "serverId", "hosts_count"]),
            (MemberKind::Other, &["", "text", "ship", "mode"]),
        ] {
            for key in keys {
                assert_eq!(member_kind(key), kind, "{key}");
            }
        }
    }
}
