//! Names that can be taken for those of other servers' tools.

use super::{Finding, FindingKind};
use crate::words::words;
use mgp_types::context::ToolId;
use unicode_security::skeleton;

/// The length from which a name that differs in one letter is an imitation.
const LONG: usize = 6;

/// Returns the reasons why the name of a tool can be taken for that of a tool of another server. The same name is none: servers that do
/// the same name their tools alike, and hosts are shown which is which.
#[must_use]
pub fn imitations<'a>(tool: &ToolId, others: impl IntoIterator<Item = &'a ToolId>) -> Vec<Finding> {
    let name = &*tool.tool_name;
    let found = |reason: String| Finding::new(FindingKind::Imitation, "/name", reason, name);
    let mut findings = Vec::new();
    if let Some(c) = name.chars().find(|c| !c.is_ascii()) {
        findings.push(found(format!("it has the character {}, which is not ASCII", c.escape_unicode())));
    }
    let other = others
        .into_iter()
        .find(|other| other.server_id != tool.server_id && imitates(name, &other.tool_name));
    findings.extend(other.map(|other| {
        found(format!("it looks like {:?} of server {:?}", &*other.tool_name, &*other.server_id))
    }));
    findings
}

/// Returns whether a name looks like another one that it is not.
fn imitates(name: &str, other: &str) -> bool {
    name != other && (skeleton(name).eq(skeleton(other)) || is_misspelt(name, other))
}

/// Returns whether two names differ in one letter, or in two letters that changed places, and not in a way in which names of tools
/// differ anyway: a plural, a number, case, a separator, or a short word such as `get` and `set`.
fn is_misspelt(name: &str, other: &str) -> bool {
    let is_near = name.len().min(other.len()) >= LONG && strsim::osa_distance(name, other) == 1;
    is_near
        && !name.eq_ignore_ascii_case(other)
        && differ_in_a_letter(name, other)
        && !differ_in_a_word(name, other)
}

fn differ_in_a_letter(name: &str, other: &str) -> bool {
    let same = name.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let differing = [name.chars().nth(same), other.chars().nth(same)];
    let mut differing = differing.into_iter().flatten();
    differing.clone().any(|c| c.is_ascii_alphabetic()) && !differing.any(|c| c.is_ascii_digit())
}

fn differ_in_a_word(name: &str, other: &str) -> bool {
    let (one, two) = (words(name), words(other));
    let is_plural = |a: &str, b: &str| a.strip_suffix('s') == Some(b);
    let differ = |a: &str, b: &str| a.len().min(b.len()) < 4 || is_plural(a, b) || is_plural(b, a);
    one.len() == two.len() && one.iter().zip(&two).any(|(a, b)| a != b && differ(a, b))
}
