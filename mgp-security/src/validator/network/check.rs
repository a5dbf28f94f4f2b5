//! The validator itself, which judges each part of the arguments.

use super::{
    anywhere::{doubt_in, unescaped},
    host::{UNREADABLE, is_small_number, judge_whole},
    keys::names_a_host,
    places::judge_text,
};
use crate::validator::{Input, Leaf, LeafKind, Validator, Verdict, Violation, rejection::shown};

/// The validator `network_restricted`.
///
/// It looks for URLs anywhere in a text, for values of `host=` and the like, for strings that are a host, an address or a list
/// of them, and, in members with a name for hosts (`url`, `hosts`, ...), for every form that a URL parser would read as an address:
/// decimal, octal, hexadecimal, short, IPv6 with an IPv4 address inside, and numbers. Members' names are checked like strings.
/// Addresses elsewhere in texts and numbers, and hosts that cannot be read, are asked about.
/// A host is judged by its name alone, because the address that the name resolves to is not known here.
#[derive(Debug, Clone, Copy)]
pub struct NetworkRestricted;

impl Validator for NetworkRestricted {
    fn name(&self) -> &str {
        "network_restricted"
    }

    fn check(&self, input: &Input<'_>) -> Verdict {
        let (mut wrong, mut doubt) = (Vec::new(), Vec::new());
        for leaf in input.leaves {
            if let Err(late) = input.in_time() {
                return Verdict::Refuse(late);
            }
            let say = |what: &str| format!("{what} in {}: {:?}", leaf.place(), shown(&leaf.text));
            let escaped = || unescaped(&leaf.text).and_then(|text| judge_text(text.trim(), false));
            match forbidden_in(leaf).or_else(escaped) {
                Some(UNREADABLE) if names_no_host(&leaf.text) => {}
                Some(UNREADABLE) if let Some(host) = host_of_copy(&leaf.text) => {
                    wrong.extend(judge_whole(host, true).map(say));
                }
                Some(what) if may_be_a_word(leaf) => doubt.push(say(what)),
                Some(UNREADABLE) => doubt.push(say(UNREADABLE)),
                Some(what) => wrong.push(say(what)),
                None => doubt.extend(doubt_in(leaf).map(say)),
            }
        }
        if !wrong.is_empty() {
            let reason = "requests to this machine and to private networks are blocked";
            return Verdict::Refuse(Violation::new(reason, wrong));
        }
        if doubt.is_empty() {
            return Verdict::Pass;
        }
        Verdict::Ask(Violation::new("it is not known whether the call reaches a private network", doubt))
    }
}

/// Returns whether a URL has a scheme without hosts, or is a part of a page.
fn names_no_host(text: &str) -> bool {
    let text = text.trim().to_ascii_lowercase();
    ["#", "data:", "tel:", "urn:", "mailto:"].iter().any(|start| text.starts_with(start))
        && !text.contains("//")
}

/// Returns the host of an address such as `git@example.com:a/b.git`, which no URL parser reads.
fn host_of_copy(text: &str) -> Option<&str> {
    let (user, rest) = text.trim().split_once('@')?;
    let (host, path) = rest.split_once(':')?;
    let plain = |text: &str| {
        !text.is_empty()
            && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '/' | '~'))
    };
    (plain(user) && plain(host) && plain(path) && !host.contains('/')).then_some(host)
}

/// Returns whether a string outside members for hosts is a single name, which may be that of a file or something that is searched for.
fn may_be_a_word(leaf: &Leaf) -> bool {
    let text = leaf.text.trim();
    let is_local = ["localhost", ".local", ".internal", ".lan"].iter().any(|end| {
        text.get(text.len().saturating_sub(end.len())..).is_some_and(|tail| tail.eq_ignore_ascii_case(end))
    });
    leaf.kind == LeafKind::Text
        && !names_a_host(leaf.key())
        && is_local
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
}

/// Returns the forbidden target that a part of the arguments reaches, if there is one.
pub(super) fn forbidden_in(leaf: &Leaf) -> Option<&'static str> {
    let host_expected = names_a_host(leaf.key());
    match leaf.kind {
        LeafKind::Number if !host_expected => None,
        LeafKind::Number => judge_whole(&leaf.text, true),
        // The number of an entry.
        LeafKind::Name if is_small_number(&leaf.text) => None,
        LeafKind::Text | LeafKind::Name => {
            // A URL parser drops these characters wherever they stand, so they must not hide anything.
            let text: String = leaf.text.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
            let apart =
                || (text.len() < leaf.text.len()).then(|| judge_text(leaf.text.trim(), host_expected));
            judge_text(text.trim(), host_expected).or_else(|| apart().flatten())
        }
    }
}
