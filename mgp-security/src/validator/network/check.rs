//! The validator itself, which judges each part of the arguments.

use super::{
    address::{Form, is_private, read_address},
    code::judge_code,
    commands::judge_commands,
    host::{
        ADDRESS, COMPUTED, Certainty, Finding, MAX_AUTHORITY, NAME, TOO_LONG, judge_authority, without_port,
    },
    keys::{MemberKind, holds_address_numbers, holds_random_seeds},
    names::{NameKind, is_known_private, name_kind},
    pairs::judge_pairs,
    ports::is_port,
    readings::readings,
    siblings::Siblings,
    sockets::judge_sockets,
    tokens::judge_tokens,
    urls::judge_urls,
};
use crate::{
    meter,
    validator::{Input, Leaf, LeafKind, Validator, Verdict, Violation, rejection::shown},
};

/// The validator `network_restricted`.
///
/// It judges every string, number and member's name in each of its readings: as written, and with its encodings decoded. A private
/// host at a place where a host certainly is (a URL's authority, a member for hosts, a pair such as `host=...`) is refused. At a place
/// where
/// a host may be (a word of a command, a literal in code, an address in a text), the call is asked about.
/// A host is judged only by its name, because the address that the name resolves to is unknown here.
#[derive(Debug, Clone, Copy)]
pub struct NetworkRestricted;

impl Validator for NetworkRestricted {
    fn name(&self) -> &str {
        "network_restricted"
    }

    fn check(&self, input: &Input<'_>) -> Verdict {
        let (mut wrong, mut doubt) = (Vec::new(), Vec::new());
        let siblings = Siblings::new(input.leaves);
        for leaf in input.leaves {
            if let Err(late) = input.in_time() {
                return Verdict::Refuse(late);
            }
            let say = |what: &str| format!("{what} in {}: {:?}", leaf.place(), shown(&leaf.text));
            match judge_leaf(leaf, &siblings, NESTING) {
                Finding::Certain(what) => wrong.push(say(what)),
                Finding::Possible(what) => doubt.push(say(what)),
                Finding::Nothing => {}
            }
        }
        if let Finding::Possible(what) = siblings.judge() {
            doubt.push(format!("{what} in several arguments together"));
        }
        if !wrong.is_empty() {
            let reason = "requests to this machine and to private networks are blocked";
            return Verdict::Refuse(Violation::new(reason, wrong));
        }
        if doubt.is_empty() {
            return Verdict::Pass;
        }
        Verdict::Ask(Violation::new("it is unknown whether the call reaches a private network", doubt))
    }
}

/// Judges one part of the arguments.
pub(super) fn judge_leaf(leaf: &Leaf, siblings: &Siblings, nesting: usize) -> Finding {
    let mut member = siblings.kind_of(leaf);
    if leaf.kind == LeafKind::Number {
        return judge_number(leaf, member);
    }
    if leaf.kind == LeafKind::Name && member == MemberKind::Host {
        member = MemberKind::Likely;
    }
    let has_port = leaf.kind == LeafKind::Text && siblings.has_port(leaf);
    let text = leaf.text.trim();
    let is_server = ["server", "host", "hostname"].contains(&leaf.key()) && leaf.kind == LeafKind::Text;
    if is_server && (text == "." || text.is_empty() && has_port) {
        return Finding::Possible("a server without a name, which may be this machine");
    }
    let found = readings(&leaf.text)
        .iter()
        .fold(Finding::Nothing, |found, text| found.max(judge_text(text, member, has_port, leaf.kind)));
    if nesting == 0 { found } else { found.max(judge_json(&leaf.text, nesting - 1)) }
}

/// The most levels of JSON in strings of JSON.
const NESTING: usize = 3;

/// Judges the parts of a string that is JSON. They are data of another program, so all findings are only possible ones.
fn judge_json(text: &str, nesting: usize) -> Finding {
    let text = text.trim();
    if !text.starts_with(['{', '[']) {
        return Finding::Nothing;
    }
    let Ok(json) = serde_json::from_str::<serde_json::Value>(text) else { return Finding::Nothing };
    let mut leaves = Vec::new();
    collect(&json, "", "", &mut leaves);
    let siblings = Siblings::new(&leaves);
    let found = leaves.iter().map(|leaf| judge_leaf(leaf, &siblings, nesting).possible());
    found.fold(siblings.judge(), Finding::max)
}

/// Collects the parts of a value. Their pointers contain only the last two names, cut short, so that their size is bounded.
fn collect(json: &serde_json::Value, around: &str, key: &str, leaves: &mut Vec<Leaf>) {
    const LONGEST: usize = 64;
    let escaped = |name: &str| name.replace('~', "~0").replace('/', "~1");
    let pointer = format!("/{}/{}", escaped(around), escaped(key));
    match json {
        serde_json::Value::String(text) => leaves.push(Leaf::new(pointer, text)),
        serde_json::Value::Number(number) => {
            leaves.extend(number.as_f64().map(|number| Leaf::number(pointer, number)));
        }
        serde_json::Value::Array(items) => {
            let name = if key.is_empty() { around } else { key };
            for (at, item) in items.iter().enumerate() {
                collect(item, name, &at.to_string(), leaves);
            }
        }
        serde_json::Value::Object(members) => {
            for (name, value) in members {
                leaves.push(Leaf::name(pointer.clone(), name));
                let is_item = key.bytes().all(|b| b.is_ascii_digit());
                collect(
                    value,
                    if is_item { around } else { key },
                    super::urls::window(name, LONGEST),
                    leaves,
                );
            }
        }
        _ => {}
    }
}

fn judge_number(leaf: &Leaf, member: MemberKind) -> Finding {
    if holds_random_seeds(leaf.key()) {
        return Finding::Nothing;
    }
    let text = leaf.text.trim();
    let is_address_member = holds_address_numbers(leaf.key());
    if text.contains('.') {
        let private = read_address(text).is_some_and(|(ip, _)| is_private(ip));
        let is_long = matches!(member, MemberKind::Host | MemberKind::Likely)
            && text.split('.').nth(1).is_some_and(|part| part.len() > 6);
        let is_zero = text.starts_with("0.");
        return if private && !is_zero && (is_address_member && !leaf.key().contains('_') || is_long) {
            ADDRESS.possible()
        } else {
            Finding::Nothing
        };
    }
    let Ok(number) = text.parse::<i64>() else { return Finding::Nothing };
    // An address as a signed number is negative.
    let Ok(number) = u32::try_from(number).or_else(|_| i32::try_from(number).map(i32::cast_unsigned)) else {
        return Finding::Nothing;
    };
    let is_private = is_private(std::net::Ipv4Addr::from(number).into());
    if !is_private || number < 1 << 24 && !(number == 0 && ["ip", "host"].contains(&leaf.key())) {
        return Finding::Nothing;
    }
    if is_address_member {
        return ADDRESS;
    }
    if member == MemberKind::Host {
        return ADDRESS.possible();
    }
    // The largest signed number counts as itself. From the multicast range on, numbers are counts or signed.
    let counts = number != i32::MAX.unsigned_abs() && number < 0xe000_0000 && !text.starts_with('-');
    let is_other = matches!(member, MemberKind::Otherwise | MemberKind::Version);
    if counts && !is_other {
        Finding::Possible("a number that may be an address of a private network")
    } else {
        Finding::Nothing
    }
}

/// Judges one reading of a string or a name.
fn judge_text(text: &str, member: MemberKind, has_port: bool, kind: LeafKind) -> Finding {
    meter::count(text.len());
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Finding::Nothing;
    }
    let is_shell = member == MemberKind::Command;
    let is_code = !matches!(member, MemberKind::Version | MemberKind::Otherwise) && trimmed.len() > 3;
    let mut found = judge_whole(trimmed, member, has_port, kind)
        .max(judge_urls(trimmed, member))
        .max(judge_pairs(trimmed, member))
        .max(judge_tokens(trimmed, member))
        .max(judge_sockets(trimmed, is_shell));
    if kind == LeafKind::Text || trimmed.contains(' ') {
        found = found.max(judge_commands(trimmed, is_shell));
    }
    if is_code {
        found = found.max(judge_code(trimmed));
    }
    found
}

/// Judges a text that is, as a whole, a host or a list of hosts.
fn judge_whole(text: &str, member: MemberKind, has_port: bool, kind: LeafKind) -> Finding {
    let is_host = member == MemberKind::Host
        || has_port && !matches!(member, MemberKind::Version | MemberKind::Otherwise);
    let is_likely = matches!(member, MemberKind::Likely | MemberKind::Command) || is_host;
    // Words with capitals and spaces between are the name of a person or a place.
    let is_title = text.contains(' ')
        && !text.contains([',', ';', '.', ':'])
        && text.split(' ').any(|word| word.starts_with(char::is_uppercase));
    let is_host = is_host && !is_title;
    let has_urls = text.contains("://") || text.starts_with("data:");
    let mut found = Finding::Nothing;
    let mut count = 0;
    for item in text
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '|'))
        .filter(|item| !item.is_empty())
    {
        count += 1;
        if has_urls && !item.contains(':') {
            continue;
        }
        found = found.max(judge_item(item, is_host, is_likely, member, has_port));
        if is_host
            && item.len() > MAX_AUTHORITY
            && !item.contains("://")
            && !super::urls::window(item, MAX_AUTHORITY).contains(['/', '=', '"'])
        {
            return TOO_LONG;
        }
    }
    let is_of_jdbc = ["postgresql:", "mysql:", "mariadb:", "firebirdsql:", "sqlserver:", "db2:"]
        .iter()
        .any(|kind| text.strip_prefix("jdbc:").is_some_and(|rest| rest.starts_with(kind)));
    let has_empty_host = ["@/", "@:"].iter().any(|mark| {
        text.split_once(mark).is_some_and(|(front, _)| front.ends_with(|c: char| c.is_ascii_alphanumeric()))
    });
    if is_of_jdbc && !text.contains("//") || is_likely && has_empty_host && !text.contains(' ') {
        found = found.max(Finding::Possible("a database without a host, which may be of this machine"));
    }
    if is_list_with_this_machine(text) && member != MemberKind::Version {
        found = found.max(NAME.possible());
    }
    if count > 1 && found.is_found() {
        return found.possible();
    }
    if count != 1 {
        return found;
    }
    // A text that consists of an address or the name of this machine is refused in every member except those for versions.
    let host = without_port(text.split('/').next().unwrap_or_default());
    let is_version = matches!(member, MemberKind::Version);
    let usual = read_address(host).or_else(|| read_address(text)).is_some_and(|(ip, form)| {
        form == Form::Usual
            && is_private(ip)
            && (host.matches('.').count() == 3 || text.contains("::") && text.len() > 2)
            && !host.starts_with("0.")
            && !host.starts_with("255.")
    });
    let is_local = host.eq_ignore_ascii_case("localhost") && kind == LeafKind::Text;
    if usual && !is_version {
        let is_loopback = host.starts_with("127.") || host.starts_with("169.254.");
        found = found.max(if is_loopback || is_host || text.contains("::") {
            ADDRESS
        } else {
            ADDRESS.possible()
        });
    }
    if is_local && !is_version {
        found = found.max(NAME.possible());
    }
    let is_private_name =
        !is_version && is_known_private(host) && !host.starts_with('.') && !text.contains(' ');
    if is_private_name {
        found = found.max(NAME.possible());
    }
    let is_short = read_address(host).is_some_and(|(ip, form)| match form {
        Form::Odd => host.contains('.') && host.len() > 4 && is_private(ip) && !host.starts_with("0."),
        Form::Short => {
            host.starts_with("127.") && is_private(ip) && (kind == LeafKind::Name || host.len() == 5)
        }
        Form::Number => {
            is_private(ip) && host.len() > 8 && !ip.to_string().starts_with("0.") && !host.starts_with('4')
        }
        Form::Usual => false,
    });
    if is_short && !is_version && member != MemberKind::Otherwise {
        found = found.max(ADDRESS.possible());
    }
    found
}

/// Returns whether a text is a list of hosts that includes this machine.
fn is_list_with_this_machine(text: &str) -> bool {
    let items = || {
        text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '|'))
            .filter(|item| !item.is_empty())
    };
    let is_local = |item: &str| without_port(item).eq_ignore_ascii_case("localhost");
    let is_host = |item: &str| {
        let host = without_port(item);
        is_local(item) || name_kind(host) == NameKind::Public || read_address(host).is_some()
    };
    items().any(is_local) && items().all(is_host)
}

/// Judges an item of a text that is a list of hosts or one host.
fn judge_item(item: &str, is_host: bool, is_likely: bool, member: MemberKind, has_port: bool) -> Finding {
    if !is_likely || item.contains("://") {
        return Finding::Nothing;
    }
    let digits = item.bytes().all(|b| b.is_ascii_digit());
    if digits && item.len() < 8 && !(item == "0" && is_host) {
        return Finding::Nothing;
    }
    if is_likely && member != MemberKind::Command && item.starts_with([':']) && is_port(&item[1..]) {
        return Finding::Possible("a port of this machine");
    }
    if member == MemberKind::Host
        && (item.starts_with("/") && has_port || item.starts_with(".\\") || item.starts_with("@/"))
    {
        return Finding::Possible("a socket or a server of this machine");
    }
    if is_host && item.contains(['{', '$']) && !item.starts_with(['/', '{', '(']) {
        return COMPUTED;
    }
    let place = if is_host { Certainty::Host } else { Certainty::Likely };
    let host = item.split('/').next().unwrap_or_default();
    if host.is_empty() {
        return Finding::Nothing;
    }
    // A word before a colon that no port follows is a scheme or another name.
    let port =
        item.split_once(':').map(|(_, port)| port.split(['/', ',', ';', '?']).next().unwrap_or_default());
    let is_scheme = port.is_some_and(|port| !super::ports::is_any_port(port) && !item.starts_with('['))
        && name_kind(item.split(':').next().unwrap_or_default()) == NameKind::Single
        && !item.split('/').next().unwrap_or_default().contains('@');
    let is_word = super::pairs::TABLE.words.contains(&item.to_ascii_lowercase().as_str());
    if is_scheme || is_word {
        // An address such as `server:path/to.git`, which no URL parser reads.
        let is_copy = is_scheme && is_host && item.ends_with(".git");
        return if is_copy { super::host::SINGLE } else { Finding::Nothing };
    }
    if is_host && (item.contains("@:") || item.ends_with('@')) {
        return super::host::UNREADABLE;
    }
    if item.starts_with("0:") && port.is_some_and(is_port) {
        return ADDRESS.possible();
    }
    let found = judge_authority(item, place);
    let kind = name_kind(without_port(host));
    // A path, a word with a dot at its start, or a word that is a path's part is not the name of a host.
    let is_path = item.starts_with(['/', '.', '#', '~', '?'])
        || (item.contains('/') && matches!(kind, NameKind::Single | NameKind::Unknown));
    if is_path && !item.contains(':') {
        return Finding::Nothing;
    }
    let is_word = kind == NameKind::Private && super::names::is_plain_word(host);
    match found {
        Finding::Certain(_) if is_word || member == MemberKind::Command => found.possible(),
        Finding::Certain(_) if !is_host => found.possible(),
        _ => found,
    }
}
