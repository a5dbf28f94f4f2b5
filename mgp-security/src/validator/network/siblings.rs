//! Reads the members of arguments together: a port next to a host, the numbers of an address in an array.

use super::{
    address::{is_private, read_v4},
    commands::{judge_commands, judge_options},
    host::Finding,
    keys::{MemberKind, member_kind},
    names::{NameKind, name_kind},
    ports::is_port,
};
use crate::validator::{Leaf, LeafKind};
use std::collections::HashSet;

/// The members of arguments that affect the judgement of others.
#[derive(Debug)]
pub(super) struct Siblings {
    /// The pointers of the objects and arrays with a port.
    with_port: HashSet<String>,
    /// The pointers of the objects whose name is that of a host's member, such as `{"name": "Host", "value": ...}`.
    named: HashSet<String>,
    /// The finding about arrays with the numbers of an address.
    octets: Finding,
    /// The finding about arrays with the words of a command.
    commands: Finding,
}

impl Siblings {
    /// Reads the parts of arguments.
    pub(super) fn new(leaves: &[Leaf]) -> Self {
        let mut with_port = HashSet::new();
        let mut named = HashSet::new();
        for leaf in leaves {
            let (parent, key) = leaf.pointer.rsplit_once('/').unwrap_or_default();
            if ["name", "key", "header", "field"].contains(&key)
                && leaf.kind == LeafKind::Text
                && leaf.text.len() < 64
                && member_kind(&leaf.text) == MemberKind::Host
            {
                named.insert(parent.to_owned());
            }
            let is_port_member = ["port", "p", "portnumber", "port_value", "tcp_port"]
                .contains(&key.to_ascii_lowercase().as_str());
            let is_item = key == "1" && leaf.kind == LeafKind::Number && parent.len() > 1;
            let is_second = key.ends_with('1') && key.len() > 1 && leaf.kind == LeafKind::Number;
            if leaf.kind != LeafKind::Name
                && (is_port_member && leaf.text.parse::<u16>().is_ok()
                    || (is_item || is_second) && is_port(&leaf.text))
            {
                with_port.insert(parent.to_owned());
            }
        }
        Self { with_port, named, octets: octets(leaves), commands: commands(leaves) }
    }

    /// Returns whether a part is next to a port.
    pub(super) fn has_port(&self, leaf: &Leaf) -> bool {
        if self.with_port.is_empty() {
            return false;
        }
        let (parent, key) = leaf.pointer.rsplit_once('/').unwrap_or_default();
        // Variables of an environment do not belong to each other.
        if key.bytes().all(|b| !b.is_ascii_lowercase()) && key.contains('_') {
            return false;
        }
        if key == "name" && leaf.pointer.contains("host") {
            return self.with_port.contains(parent);
        }
        self.with_port.contains(parent)
            && ![
                "path", "user", "database", "password", "db", "protocol", "scheme", "method", "username",
                "name", "proto", "type",
            ]
            .contains(&key)
    }

    /// Returns the kind of the member of a part.
    pub(super) fn kind_of(&self, leaf: &Leaf) -> MemberKind {
        let parent_of = leaf.pointer.rsplit_once('/').unwrap_or_default();
        if ["value", "content", "data"].contains(&parent_of.1) && self.named.contains(parent_of.0) {
            return MemberKind::Host;
        }
        let kind = member_kind(leaf.key());
        if !matches!(kind, MemberKind::Other | MemberKind::Likely) {
            return kind;
        }
        // A member with a meaningless name, such as `value`, has the kind of the member around it.
        let mut keys = leaf
            .pointer
            .rsplit('/')
            .filter(|part| !part.is_empty() && !part.bytes().all(|b| b.is_ascii_digit()));
        let is_domain = |key: &str| {
            key.contains('.') && name_kind(key.split(':').next().unwrap_or_default()) == NameKind::Public
        };
        if leaf.kind == LeafKind::Text
            && (is_domain(leaf.key())
                || keys.clone().nth(1).is_some_and(is_domain)
                    && ["A", "AAAA", "a", "aaaa", "CNAME"].contains(&leaf.key()))
        {
            return MemberKind::Likely;
        }
        let around = keys.nth(1);
        let parent = around.map_or(MemberKind::Other, member_kind);
        if parent == MemberKind::Host && !["name", "user", "username", "title"].contains(&leaf.key()) {
            if kind == MemberKind::Likely
                || around.is_some_and(|key| key.ends_with('s')) && leaf.kind == LeafKind::Text
            {
                MemberKind::Host
            } else {
                MemberKind::Likely
            }
        } else {
            kind
        }
    }

    /// Returns the finding about the parts together.
    pub(super) fn judge(&self) -> Finding {
        self.octets.max(self.commands)
    }
}

/// Judges arrays of words in members for commands as commands.
fn commands(leaves: &[Leaf]) -> Finding {
    let mut found = Finding::Nothing;
    let mut words: Vec<&Leaf> = Vec::new();
    for leaf in leaves {
        let (parent, key) = leaf.pointer.rsplit_once('/').unwrap_or_default();
        let is_item =
            leaf.kind != LeafKind::Name && key.bytes().all(|b| b.is_ascii_digit()) && !key.is_empty();
        let continues = words
            .last()
            .is_some_and(|last| last.pointer.rsplit_once('/').is_some_and(|(at, _)| at == parent));
        if !continues || !is_item {
            found = found.max(command(&words));
            words.clear();
        }
        if is_item && member_kind(leaf.key()) == MemberKind::Command {
            words.push(leaf);
        }
    }
    found.max(command(&words))
}

fn command(words: &[&Leaf]) -> Finding {
    if words.len() < 2 {
        return Finding::Nothing;
    }
    let words: Vec<String> = words.iter().map(|leaf| leaf.text.clone()).collect();
    judge_options("curl", &words)
        .max(judge_options("psql", &words))
        .max(judge_commands(&words.join(" "), true))
}

/// Judges arrays of four numbers, in members for addresses, as the numbers of an address.
fn octets(leaves: &[Leaf]) -> Finding {
    let found = leaves.windows(4).any(|four| {
        let is_array = four.iter().enumerate().all(|(at, leaf)| {
            leaf.kind == LeafKind::Number
                && leaf.pointer.rsplit_once('/').is_some_and(|(_, key)| key == at.to_string())
        });
        let keys = &four[0].pointer.to_ascii_lowercase();
        let is_member = ["ip", "addr", "host", "octets", "bytes", "peer", "server", "target"]
            .iter()
            .any(|word| keys.contains(word));
        let address = || four.iter().map(|leaf| leaf.text.as_str()).collect::<Vec<_>>().join(".");
        is_array
            && is_member
            && !four[0].text.starts_with('0')
            && read_v4(&address()).is_some_and(|(ip, _)| is_private(ip.into()))
    });
    if found { Finding::Possible("the numbers of an address of a private network") } else { Finding::Nothing }
}
