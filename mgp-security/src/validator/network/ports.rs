//! Ports of servers, as numbers and as names of services.

/// Ports below 1000 on which servers are common.
const KNOWN: &[u16] = &[
    21, 22, 23, 25, 53, 69, 80, 81, 88, 110, 111, 123, 135, 137, 139, 143, 161, 179, 389, 443, 445, 465, 514,
    515, 548, 554, 587, 593, 623, 631, 636, 873, 902, 989, 990, 993, 995,
];

/// Names of services that programs accept instead of a port.
const SERVICES: &[&str] = &[
    "http",
    "https",
    "ssh",
    "ftp",
    "smtp",
    "domain",
    "telnet",
    "ldap",
    "ldaps",
    "imap",
    "imaps",
    "pop3",
    "mysql",
    "postgresql",
    "redis",
];

/// Returns whether a text is a port on which servers are common: a known one, or one of four or five digits.
pub(super) fn is_port(text: &str) -> bool {
    let digits = text.split(['/', '?', '#', ',', ';']).next().unwrap_or_default();
    !digits.starts_with('0')
        && digits.bytes().all(|b| b.is_ascii_digit())
        && digits.parse::<u16>().is_ok_and(|port| port >= 1000 || KNOWN.contains(&port))
}

/// Returns whether a text is any port, or the name of a service.
pub(super) fn is_any_port(text: &str) -> bool {
    SERVICES.contains(&text) || (text.bytes().all(|b| b.is_ascii_digit()) && text.parse::<u16>().is_ok())
}
