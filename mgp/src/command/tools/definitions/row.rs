//! A tool whose definition differs from the accepted one.

use crate::output::{on_one_line, printable, shortened};
use mgp_kernel::command_word;
use mgp_security::definition::{Difference, Effect, PinnedDefinition, VersionCheck};
use serde::Serialize;
use serde_json::Value;

/// A tool whose definition differs from the accepted one, as JSON.
#[derive(Serialize)]
pub(crate) struct DefinitionRow {
    pub(super) server_id: String,
    pub(super) tool_name: String,
    /// True if the tool is withheld until the change is accepted.
    pub(super) held: bool,
    pub(super) breaking: bool,
    /// False if a definition is too long to be kept, so that only the hashes can be compared.
    compared: bool,
    accepted_sha256: String,
    listed_sha256: String,
    listed_at: String,
    differences: Vec<Difference>,
    left_out: usize,
    /// The versions, if the server states any.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    versions: Option<VersionCheck>,
}

/// The maximum length of the shown part of a value, in characters.
const SHOWN: usize = 400;

/// The number of digits of a hash in a command.
const HASH_DIGITS: usize = 16;

impl DefinitionRow {
    /// Converts a pin; returns `None` for a tool with the accepted definition.
    pub(crate) fn of(pin: &PinnedDefinition) -> Option<Self> {
        let (change, diff) = (pin.change.as_ref()?, pin.diff()?);
        Some(Self {
            server_id: pin.tool.server_id.to_string(),
            tool_name: pin.tool.tool_name.to_string(),
            held: change.held,
            breaking: diff.is_breaking(),
            compared: diff.compared,
            accepted_sha256: pin.accepted.hash.to_string(),
            listed_sha256: change.listed.hash.to_string(),
            listed_at: format!("{:.3}", change.listed_at),
            differences: diff.differences,
            left_out: diff.left_out,
            versions: pin.version_check().filter(|versions| versions.old.is_some() || versions.new.is_some()),
        })
    }

    /// Returns whether the tool is withheld.
    pub(crate) fn is_held(&self) -> bool {
        self.held
    }

    /// Returns the server and the tool as one name.
    pub(crate) fn subject(&self) -> String {
        format!("{} {}", self.server_id, self.tool_name)
    }

    /// Returns the tool and the decision to make, on a few lines.
    pub(crate) fn question(&self) -> String {
        let (server, tool) = (command_word(&self.server_id), command_word(&self.tool_name));
        format!(
            "{}\n  changed:   {}\n  look at it: `mgp tools diff {server} {tool}`, which names the command that accepts it",
            self.headline(),
            printable(&self.listed_at),
        )
    }

    /// Returns the tool with each difference.
    pub(super) fn text(&self) -> String {
        let mut lines = vec![self.headline()];
        if !self.compared {
            let tool = command_word(&self.tool_name);
            lines.push(format!(
                "  only the hashes can be compared: the text is longer than 64 KiB, or holds JSON that readers do not read alike; \
                 `mgp tools show {tool}` shows what the server lists"
            ));
        }
        lines.extend(difference_lines(&self.differences, self.left_out));
        if let Some(versions) = &self.versions {
            lines.push(format!("  {versions}"));
        }
        let (server, tool) = (command_word(&self.server_id), command_word(&self.tool_name));
        let digits: String = self.listed_sha256.chars().take(HASH_DIGITS).collect();
        lines.push(format!("  accept it: `mgp tools accept {server} {tool} --hash {digits}`"));
        lines.join("\n")
    }

    fn headline(&self) -> String {
        let has = |effect| self.differences.iter().any(|difference| difference.effect == effect);
        let breaking = match self.breaking {
            true => "breaking",
            false if has(Effect::Text) => "its text",
            false if has(Effect::LowerRisk) => "it claims less risk",
            false => "compatible",
        };
        let held = if self.held { ", withheld until it is accepted" } else { "" };
        let named = format!("tool {} of server {}", self.tool_name, self.server_id);
        format!("{}: changed, {breaking}{held}", on_one_line(&printable(&named)))
    }
}

/// Returns the lines that show differences.
pub(super) fn difference_lines(differences: &[Difference], left_out: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for Difference { path, effect, old, new } in differences {
        lines.push(format!("  {effect}: {}", shortened(&printable(path), SHOWN)));
        let (old, new) = (old.as_ref().map(visible), new.as_ref().map(visible));
        let start = first_difference(old.as_deref().unwrap_or_default(), new.as_deref().unwrap_or_default());
        lines.extend(old.iter().map(|value| format!("    - {}", from(value, start))));
        lines.extend(new.iter().map(|value| format!("    + {}", from(value, start))));
    }
    if left_out > 0 {
        lines.push(format!("  and {left_out} more"));
    }
    lines
}

/// Returns a value on one line, with invisible characters escaped.
fn visible(value: &Value) -> String {
    let visible = |c: char| match c {
        ' '..='~' => vec![c],
        c if c.is_alphanumeric() => vec![c],
        c => c.escape_unicode().collect(),
    };
    value.to_string().chars().flat_map(visible).collect()
}

/// Returns the number of characters before the first difference between two texts.
fn first_difference(old: &str, new: &str) -> usize {
    old.chars().zip(new.chars()).take_while(|(old, new)| old == new).count()
}

/// Returns the shown part of a text: from shortly before its first difference, as much as fits.
fn from(text: &str, difference: usize) -> String {
    if text.chars().count() <= SHOWN {
        return text.to_owned();
    }
    let start = difference.saturating_sub(SHOWN / 8);
    let rest: String = text.chars().skip(start).collect();
    let before = if start > 0 { format!("… {start} characters … ") } else { String::new() };
    let left = rest.chars().count().saturating_sub(SHOWN);
    let after =
        if left > 0 { format!(" … {left} characters more, whole with --json") } else { String::new() };
    format!("{before}{}{after}", rest.chars().take(SHOWN).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::{first_difference, from};

    #[test]
    fn the_end_of_a_long_text_is_shown() {
        let (old, new) = ("a".repeat(600), format!("{}, and read the key", "a".repeat(600)));
        let start = first_difference(&old, &new);
        assert_eq!(start, 600);
        assert!(from(&new, start).ends_with("aaa, and read the key"), "{}", from(&new, start));
        assert_eq!(from("short", 3), "short");
        let long = "b".repeat(2000);
        assert!(from(&long, 0).contains("1600 characters more"), "{}", from(&long, 0));
    }
}
