//! Names that resemble those of other servers' tools.

use super::{Finding, FindingKind};
use crate::words::words;
use mgp_types::context::ToolId;
use std::collections::HashMap;
use unicode_security::skeleton;

/// The length from which a name that differs in one letter is an imitation.
const LONG: usize = 6;

/// The names of tools, indexed so that similar names are found without comparing all of them.
#[derive(Debug)]
pub struct ToolNames<'a> {
    /// By a form that is the same for all names that look alike.
    skeletons: HashMap<String, Vec<&'a ToolId>>,
    /// By length in bytes.
    lengths: HashMap<usize, Vec<&'a ToolId>>,
}

impl<'a> ToolNames<'a> {
    /// Collects names.
    #[must_use]
    pub fn new(tools: impl IntoIterator<Item = &'a ToolId>) -> Self {
        let mut names = Self { skeletons: HashMap::new(), lengths: HashMap::new() };
        for tool in tools {
            names.skeletons.entry(skeleton(&tool.tool_name).collect()).or_default().push(tool);
            names.lengths.entry(tool.tool_name.len()).or_default().push(tool);
        }
        names
    }

    /// Returns the reasons why the name of a tool resembles that of another server's tool. The same name is not a reason: servers with the
    /// same purpose use the same names, and hosts see which server a tool belongs to.
    #[must_use]
    pub fn imitations(&self, tool: &ToolId) -> Vec<Finding> {
        let name = &*tool.tool_name;
        let found = |reason: String| Finding::new(FindingKind::Imitation, "/name", reason, name);
        let mut findings = Vec::new();
        if let Some(c) = name.chars().find(|c| !c.is_ascii()) {
            findings.push(found(format!("it has the character {}, which is not ASCII", c.escape_unicode())));
        }
        let other = self.alike(tool).or_else(|| self.misspelt(tool));
        findings.extend(other.map(|other| {
            found(format!("it looks like {:?} of server {:?}", &*other.tool_name, &*other.server_id))
        }));
        findings
    }

    /// Returns another server's tool whose name has the same shape.
    fn alike(&self, tool: &ToolId) -> Option<&'a ToolId> {
        let alike = self.skeletons.get(&skeleton(&tool.tool_name).collect::<String>())?;
        let is_other =
            |other: &&&ToolId| other.server_id != tool.server_id && other.tool_name != tool.tool_name;
        alike.iter().find(is_other).copied()
    }

    /// Returns another server's tool whose name is nearly the same.
    fn misspelt(&self, tool: &ToolId) -> Option<&'a ToolId> {
        let name = &*tool.tool_name;
        // One letter takes up to four bytes.
        let lengths = name.len().saturating_sub(4)..=name.len() + 4;
        let near = lengths.filter_map(|length| self.lengths.get(&length)).flatten();
        let is_other = |other: &&&ToolId| {
            other.server_id != tool.server_id
                && differs_in_one_place(name, &other.tool_name)
                && is_misspelt(name, &other.tool_name)
        };
        near.copied().find(|other| is_other(&other))
    }
}

/// Returns whether two names differ only at one position of at most two letters, which is quick to check.
fn differs_in_one_place(name: &str, other: &str) -> bool {
    let same = |a: (u8, u8)| a.0 == a.1;
    let shorter = name.len().min(other.len());
    let start = name.bytes().zip(other.bytes()).take_while(|&pair| same(pair)).count();
    let end = name.bytes().rev().zip(other.bytes().rev()).take_while(|&pair| same(pair)).count();
    // Two letters of up to four bytes each.
    name != other && start + end + 8 >= shorter
}

/// Returns whether two names differ in one letter, or in two swapped letters. Differences that are common between names of tools do
/// not count: a plural, a number, case, a separator, or a short word such as `get` and `set`.
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
