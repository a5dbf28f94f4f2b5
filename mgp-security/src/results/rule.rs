//! A rule: the form of one kind of secret.

use super::{
    allowlist::{Allowlist, AllowlistConfig, Candidate},
    pattern::{Pattern, compile},
};
use serde::Deserialize;
use std::{collections::HashMap, ops::Range, sync::OnceLock};

/// A rule, as gitleaks writes it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct RuleConfig {
    pub(super) id: String,
    #[expect(dead_code, reason = "read, so that an unknown key is an error")]
    description: String,
    pub(super) regex: Option<String>,
    /// The files to which the rule applies.
    pub(super) path: Option<String>,
    #[serde(default)]
    pub(super) keywords: Vec<String>,
    #[serde(default)]
    entropy: f64,
    /// The group of the pattern that is the secret; 0 for the first group that matched.
    #[serde(default)]
    secret_group: usize,
    #[serde(default)]
    pub(super) allowlists: Vec<AllowlistConfig>,
}

/// Rules whose groups are parts of the secret, and not the whole secret.
const WHOLE_MATCH: &[&str] = &["jwt-base64", "microsoft-teams-webhook"];

/// Rules whose pattern identifies the contents of their file so closely that they apply to every text.
const HOLD_WITHOUT_FILE: &[&str] = &["kubernetes-secret-yaml"];

impl RuleConfig {
    /// Returns whether the rule can match in a text that is not a file.
    pub(super) fn holds_in_texts(&self) -> bool {
        self.regex.is_some() && (self.path.is_none() || HOLD_WITHOUT_FILE.contains(&self.id.as_str()))
    }
}

/// A rule. Its pattern is compiled when a text first contains one of its keywords.
#[derive(Debug)]
pub(super) struct Rule {
    config: RuleConfig,
    compiled: OnceLock<Result<CompiledRule, String>>,
}

#[derive(Debug)]
struct CompiledRule {
    regex: Pattern,
    allowlists: Vec<Allowlist>,
}

/// The longest part of a line on either side of a match that is inspected, in bytes: a text without line breaks is not one line.
const MAX_LINE: usize = 256;

impl Rule {
    pub(super) fn new(config: RuleConfig) -> Self {
        Self { config, compiled: OnceLock::new() }
    }

    pub(super) fn id(&self) -> &str {
        &self.config.id
    }

    /// Returns whether the rule is about secrets of every kind. If two rules find the same secret, the other one names it.
    pub(super) fn is_generic(&self) -> bool {
        self.config.id.contains("generic")
    }

    fn compiled(&self) -> Result<&CompiledRule, String> {
        let compiled = self.compiled.get_or_init(|| {
            let regex = compile(self.config.regex.as_deref().unwrap_or_default());
            let lists = self.config.allowlists.iter().filter_map(|list| Allowlist::compile(list).transpose());
            let regex = regex.map_err(|error| format!("rule {}: {error}", self.id()))?;
            if self.config.secret_group >= regex.captures_len() {
                return Err(format!("rule {}: there is no group {}", self.id(), self.config.secret_group));
            }
            Ok(CompiledRule { regex, allowlists: lists.collect::<Result<_, _>>()? })
        });
        compiled.as_ref().map_err(Clone::clone)
    }

    /// Passes the positions of the rule's secrets in a text to `take`, with the positions of the whole matches. `allowed` holds for all
    /// rules.
    ///
    /// # Errors
    /// The reason why the rule cannot be used.
    pub(super) fn find(
        &self,
        text: &[u8],
        allowed: &Allowlist,
        mut take: impl FnMut(Range<usize>, Range<usize>),
    ) -> Result<(), String> {
        let CompiledRule { regex, allowlists } = self.compiled()?;
        for matched in regex.find_iter(text) {
            let secret = self.secret(regex, text, matched.range());
            let candidate = Candidate {
                secret: &text[secret.clone()],
                matched: trim(&text[matched.range()]),
                line: line(text, matched.range()),
            };
            let is_allowed = |list: &Allowlist| list.allows(candidate);
            if candidate.secret.is_empty()
                || self.config.entropy > 0.0 && entropy(candidate.secret) <= self.config.entropy
                || is_allowed(allowed)
                || allowlists.iter().any(is_allowed)
            {
                continue;
            }
            take(secret, matched.range());
        }
        Ok(())
    }

    /// Returns the part of a match that is the secret: its group, or else the first group that matched, or else the whole.
    fn secret(&self, regex: &Pattern, text: &[u8], matched: Range<usize>) -> Range<usize> {
        if regex.captures_len() > 1
            && !WHOLE_MATCH.contains(&self.id())
            && let Some(groups) = regex.captures_at(text, matched.start)
        {
            let of_rule = Some(self.config.secret_group).filter(|group| *group > 0);
            let mut matching = groups.iter().skip(1).flatten().filter(|group| !group.is_empty());
            let group = match of_rule {
                Some(group) => groups.get(group),
                None => matching.next(),
            };
            if let Some(group) = group {
                return group.range();
            }
        }
        let trimmed = trim(&text[matched.clone()]);
        let before = text[matched.clone()].iter().take_while(|byte| **byte == b'\n').count();
        let start = matched.start + before.min(matched.len() - trimmed.len());
        start..start + trimmed.len()
    }
}

/// Returns a text without the line breaks around it.
fn trim(text: &[u8]) -> &[u8] {
    let Some(start) = text.iter().position(|byte| *byte != b'\n') else { return &[] };
    let end = text.iter().rposition(|byte| *byte != b'\n').map_or(start, |last| last + 1);
    &text[start..end]
}

/// Returns the lines of a match, up to a distance from it.
fn line(text: &[u8], matched: Range<usize>) -> &[u8] {
    let before = &text[matched.start.saturating_sub(MAX_LINE)..matched.start];
    let after = &text[matched.end..text.len().min(matched.end + MAX_LINE)];
    let start =
        before.iter().rposition(|byte| *byte == b'\n').map_or(before.len(), |at| before.len() - at - 1);
    let end = after.iter().position(|byte| *byte == b'\n').unwrap_or(after.len());
    &text[matched.start - start..matched.end + end]
}

/// Returns the Shannon entropy of a text, in bits for each character.
fn entropy(text: &[u8]) -> f64 {
    let mut counts: HashMap<char, u32> = HashMap::new();
    for c in String::from_utf8_lossy(text).chars() {
        *counts.entry(c).or_default() += 1;
    }
    #[expect(clippy::cast_precision_loss, reason = "a secret is not that long")]
    let length = text.len() as f64;
    counts.values().map(|count| f64::from(*count) / length).map(|share| -share * share.log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_is_computed_per_character() {
        for (text, bits) in
            [("", 0.0), ("aaaa", 0.0), ("abab", 1.0), ("abcd", 2.0), ("0123456789abcdef", 4.0)]
        {
            assert!((entropy(text.as_bytes()) - bits).abs() < 1e-9, "{text}");
        }
    }

    #[test]
    fn the_lines_of_a_match_end_at_nearby_line_breaks() {
        let text = b"one\ntwo three\nfour";
        assert_eq!(line(text, 8..10), b"two three");
        assert_eq!(line(text, 0..3), b"one");
        let long = [b'a'; 1000];
        assert_eq!(line(&long, 500..501).len(), 2 * MAX_LINE + 1);
    }

    #[test]
    fn a_secret_is_the_rule_s_group_or_the_first_match() {
        let find = |rest: &str, text: &str| {
            let config = format!("id = 'r'\ndescription = ''\n{rest}");
            let mut found = Vec::new();
            let nothing =
                Allowlist::compile(&toml::from_str("stopwords = ['NONE']").unwrap()).unwrap().unwrap();
            let rule = Rule::new(toml::from_str(&config).unwrap());
            rule.find(text.as_bytes(), &nothing, |secret, _| found.push(text[secret].to_owned())).unwrap();
            found
        };
        assert_eq!(find("regex = 'k=(a+)?(b+)'", "k=bb k=aab"), ["bb", "aa"]);
        assert_eq!(find("regex = 'k=(a+)?(b+)'\nsecretGroup = 2", "k=bb k=aab"), ["bb", "b"]);
        assert_eq!(find(r"regex = '\s*a+\s*'", "\n\naa\n"), ["aa"]);
        assert_eq!(find("regex = '[a-d]+'\nentropy = 1.9", "aabb abcd"), ["abcd"]);
        assert_eq!(find("regex = '\\w+'\n[[allowlists]]\nregexes = ['^no']", "none yes"), ["yes"]);
    }
}
