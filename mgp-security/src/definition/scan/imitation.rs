//! Names that resemble those of other servers' tools.

use super::{Finding, FindingKind};
use crate::words::words;
use mgp_types::context::ToolId;
use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hasher},
    iter,
};
use unicode_security::skeleton;

/// The length from which a name that differs in one letter is an imitation.
const LONG: usize = 6;

/// The length up to which names are compared letter by letter, in bytes.
const MAX_COMPARED: usize = 256;

/// The names of tools, indexed so that similar names are found without comparing all of them.
#[derive(Debug)]
pub struct ToolNames<'a> {
    tools: Vec<&'a ToolId>,
    /// The places of tools, by a form that is the same for all names that look alike.
    skeletons: HashMap<String, Vec<usize>>,
    /// The places of tools, by the hashes of their names and of their names without one letter. Names that differ in one letter, or in two
    /// swapped ones, share a hash.
    neighbours: HashMap<u64, Vec<usize>>,
}

impl<'a> ToolNames<'a> {
    /// Collects names.
    #[must_use]
    pub fn new(tools: impl IntoIterator<Item = &'a ToolId>) -> Self {
        let tools = tools.into_iter().collect();
        let mut names = Self { tools, skeletons: HashMap::new(), neighbours: HashMap::new() };
        for (place, tool) in names.tools.iter().enumerate() {
            names.skeletons.entry(skeleton(&tool.tool_name).collect()).or_default().push(place);
            for hash in neighbourhood(&tool.tool_name) {
                let known = names.neighbours.entry(hash).or_default();
                if known.last() != Some(&place) {
                    known.push(place);
                }
            }
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
            |other: &&ToolId| other.server_id != tool.server_id && other.tool_name != tool.tool_name;
        self.at(alike).filter(is_other).min()
    }

    /// Returns another server's tool whose name is nearly the same.
    fn misspelt(&self, tool: &ToolId) -> Option<&'a ToolId> {
        let name = &*tool.tool_name;
        let near = neighbourhood(name).filter_map(|hash| self.neighbours.get(&hash));
        // Servers with the same purpose share names, which are quick to pass over.
        let is_misspelt = |other: &&ToolId| {
            other.server_id != tool.server_id
                && *other.tool_name != *name
                && is_misspelt(name, &other.tool_name)
        };
        near.flat_map(|places| self.at(places)).filter(is_misspelt).min()
    }

    fn at<'b>(&'b self, places: &'b [usize]) -> impl Iterator<Item = &'a ToolId> + 'b {
        places.iter().filter_map(|place| self.tools.get(*place).copied())
    }
}

/// Returns the hashes of a name, and of the name without each of its letters. Of a long name, returns only the first.
fn neighbourhood(name: &str) -> impl Iterator<Item = u64> {
    let hash = |(start, end): (&str, &str)| {
        let mut hasher = DefaultHasher::new();
        hasher.write(start.as_bytes());
        hasher.write(end.as_bytes());
        hasher.finish()
    };
    let letters = if name.len() <= MAX_COMPARED { name } else { "" };
    let without = letters.char_indices().map(|(at, c)| (&name[..at], &name[at + c.len_utf8()..]));
    iter::once((name, "")).chain(without).map(hash)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns every name of six and seven letters of an alphabet with a letter of two bytes.
    fn all_names() -> Vec<ToolId> {
        let longer = |names: Vec<String>| {
            names
                .iter()
                .flat_map(|name| ["a", "é"].map(|letter| format!("{name}{letter}")))
                .collect::<Vec<_>>()
        };
        let six = (0..6).fold(vec![String::new()], |names, _| longer(names));
        let seven = longer(six.clone());
        six.into_iter().chain(seven).map(|name| ToolId::new("other", name)).collect()
    }

    #[test]
    fn the_index_finds_what_comparing_all_names_finds() {
        let all = all_names();
        let indexed = all.iter().enumerate().filter(|(at, _)| at % 5 != 0).map(|(_, tool)| tool);
        let index = ToolNames::new(indexed.clone());
        let mut found = 0;
        for tool in all.iter().step_by(5) {
            let own = ToolId::new("own", tool.tool_name.clone());
            let compared =
                indexed.clone().filter(|other| is_misspelt(&own.tool_name, &other.tool_name)).min();
            assert_eq!(index.misspelt(&own), compared, "{own}");
            found += usize::from(compared.is_some());
        }
        assert!(found > 20, "{found}");
    }

    #[test]
    fn long_names_take_no_time() {
        let long = ToolId::new("a", "x".repeat(1_000_000));
        assert_eq!(ToolNames::new([&long, &long]).imitations(&ToolId::new("b", "x".repeat(999_999))), []);
    }
}
