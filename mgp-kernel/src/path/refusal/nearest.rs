//! Finds tool names that are similar to an unknown name.

use crate::catalog::tools::Tools;
use mgp_toolindex::{exposure::Exposure, meta_tools};
use mgp_transport::seam::Visibility;
use mgp_types::context::Principal;
use std::collections::BTreeSet;

/// The maximum length of a compared name, in characters. No shown name is longer.
const MAX_NAME: usize = 64;

/// The maximum number of names of similar length that one name is compared with, because the comparison blocks other
/// tasks.
const MAX_COMPARED: usize = 2_000;

/// The maximum number of returned names.
const MAX_MEANT: usize = 3;

/// Returns the names nearest to an unknown name, among the tools that a principal may call. Other tools have no influence on the
/// result.
///
/// The name itself is never returned, though its tool may have appeared or been allowed since it was refused.
pub(crate) fn nearest(tools: &Tools, principal: &Principal, name: &str) -> Vec<String> {
    let spellings = spellings(name);
    let names = spellings.iter().map(String::as_str).chain([name]);
    let meant = names.map(|name| nearest_to(tools, principal, name)).find(|meant| !meant.is_empty());
    let mut meant = meant.unwrap_or_default();
    meant.retain(|meant| meant != name);
    meant
}

/// Returns the alternatives for a name in the spelling of a host or another gateway: with this gateway's name in front, or with another
/// separator between server and tool.
fn spellings(name: &str) -> Vec<String> {
    // Hosts have no longer names.
    if name.len() > 4 * MAX_NAME {
        return Vec::new();
    }
    let mut spellings = Vec::new();
    if let Some(rest) = name.strip_prefix("mcp__") {
        spellings.extend(rest.split_once("__").map(|(_, tool)| tool.to_owned()));
        spellings.push(rest.to_owned());
    } else if let Some((_, tool)) = name.strip_prefix("mcp_").and_then(|rest| rest.split_once('_')) {
        spellings.push(tool.to_owned());
    }
    let starts = ["mgp__", "mgp.", "mgp/", "mgp:", "mgp_"];
    spellings.extend(starts.iter().find_map(|start| name.strip_prefix(start)).map(str::to_owned));
    for sign in ['.', '/', ':'] {
        // An id may contain dots.
        let parts = [name.rsplit_once(sign), name.split_once(sign)];
        spellings.extend(parts.into_iter().flatten().map(|(server, tool)| format!("{server}__{tool}")));
    }
    spellings
}

/// Returns the names nearest to a name in this gateway's spelling.
fn nearest_to(tools: &Tools, principal: &Principal, name: &str) -> Vec<String> {
    let own = match tools.exposure {
        Exposure::Full => &[][..],
        Exposure::Hybrid | Exposure::Category | Exposure::Discovery => &meta_tools::NAMES,
    };
    let (view, shown) = (tools.offered.view(principal), tools.load().names.clone());
    let qualified = name.contains("__");
    let Some(slip) = Slip::new(name) else { return Vec::new() };
    let of_servers = shown.iter().flat_map(|named| {
        let id = named.tool.id();
        let form = |parts: &[&str]| (slip.may_mean(parts) && view.sees(id)).then(|| parts.concat());
        let also = qualified.then(|| form(&[&id.server_id, "__", &id.tool_name])).flatten();
        form(&[&named.name]).into_iter().chain(also)
    });
    slip.nearest(own.iter().map(|own| (*own).to_owned()).chain(of_servers))
}

/// A misspelt name.
struct Slip {
    name: String,
    length: usize,
    /// The maximum number of wrong letters. More than a third makes another word.
    limit: usize,
}

impl Slip {
    fn new(name: &str) -> Option<Self> {
        let length = name.chars().take(MAX_NAME + 1).count();
        // The id of its server does not make a tool's name more similar.
        let own = name.split_once("__").map_or(name, |(_, tool)| tool);
        let limit = (own.chars().take(MAX_NAME).count() / 3).max(1);
        (length <= MAX_NAME).then(|| Self { name: name.to_lowercase(), length, limit })
    }

    /// Returns whether a name with these parts is a candidate, by its length.
    fn may_mean(&self, parts: &[&str]) -> bool {
        let length: usize = parts.iter().map(|part| part.chars().take(2 * MAX_NAME).count()).sum();
        length.abs_diff(self.length) <= self.limit
    }

    /// Returns the nearest of some names, if they are near enough. At most [`MAX_COMPARED`] names are compared.
    fn nearest(&self, names: impl Iterator<Item = String>) -> Vec<String> {
        let near = names.filter(|name| self.may_mean(&[name])).take(MAX_COMPARED).filter_map(|name| {
            let distance = strsim::osa_distance(&self.name, &name.to_lowercase());
            (distance <= self.limit).then_some((distance, name))
        });
        let near: BTreeSet<(usize, String)> = near.collect();
        // A name that only differs in case is a certain match.
        let is_certain = near.first().is_some_and(|(distance, _)| *distance == 0);
        let near = near.into_iter().filter(|(distance, _)| !is_certain || *distance == 0);
        near.take(MAX_MEANT).map(|(_, name)| name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_COMPARED, Slip, spellings};

    fn nearest(name: &str, names: &[&str]) -> Vec<String> {
        Slip::new(name).map(|slip| slip.nearest(names.iter().map(ToString::to_string))).unwrap_or_default()
    }

    #[test]
    fn only_near_names_are_suggested() {
        let names = ["read_file", "read_files", "write_file", "list_directory"];
        assert_eq!(nearest("raed_file", &names), ["read_file", "read_files"]);
        assert_eq!(nearest("Read-File", &names), ["read_file", "read_files"]);
        assert_eq!(nearest("listdirectory", &names), ["list_directory"]);
        assert_eq!(nearest("delete_database", &names), [""; 0]);
        assert_eq!(
            nearest("files__raed_file", &["files__read_file", "files__write_file"]),
            ["files__read_file"]
        );
        assert_eq!(nearest("files__hang", &["files__add"]), [""; 0]);
        assert_eq!(nearest("ab", &["ax", "ay", "az", "aa"]), ["aa", "ax", "ay"]);
    }

    #[test]
    fn names_as_hosts_and_other_gateways_write_them_are_read() {
        for (name, expected) in [
            ("mcp__mgp__read_file", &["read_file", "mgp__read_file"][..]),
            ("mcp__mgp__files__read", &["files__read", "mgp__files__read"]),
            ("mcp_mgp_read_file", &["read_file"]),
            ("mgp__read_file", &["read_file"]),
            ("files.read", &["files__read", "files__read"]),
            ("a.b.read", &["a.b__read", "a__b.read"]),
            ("files/read", &["files__read", "files__read"]),
            ("read_file", &[]),
        ] {
            assert_eq!(spellings(name), expected, "{name}");
        }
        assert_eq!(spellings(&"mcp__".repeat(100_000)), [""; 0]);
    }

    #[test]
    fn the_number_of_compared_names_is_bounded() {
        let mut looked_at = 0;
        let names = (0..100_000).map(|number| {
            looked_at += 1;
            format!("tool_{number:05}")
        });
        let found = Slip::new("tool_0000").map(|slip| slip.nearest(names));
        assert_eq!(found, Some((0..3).map(|number| format!("tool_0000{number}")).collect()));
        assert_eq!(looked_at, MAX_COMPARED);
    }

    #[test]
    fn a_name_longer_than_every_tool_s_is_not_compared() {
        let long = "a".repeat(65);
        assert_eq!(nearest(&long, &[&long]), [""; 0]);
        assert_eq!(nearest("", &["a"]), ["a"]);
    }
}
