//! The rules, and the search by all of them.

use super::{
    allowlist::{Allowlist, AllowlistConfig},
    rule::{Rule, RuleConfig},
    search::SearchError,
};
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use serde::Deserialize;
use std::{collections::BTreeMap, ops::Range, sync::LazyLock, time::Instant};

/// The rules of gitleaks.
const GITLEAKS: &str = include_str!("gitleaks.toml");

/// The exceptions to these rules in replies of servers.
const EXCEPTIONS: &str = include_str!("exceptions.toml");

static RULES: LazyLock<Result<RuleSet, String>> = LazyLock::new(|| RuleSet::parse(GITLEAKS, EXCEPTIONS));

/// The longest part of a text that is searched at once, in bytes. The deadline is checked between two rules.
pub(super) const PIECE: usize = 512 * 1024;

/// The overlap of two neighbouring parts, in bytes. A match of at most this length is found at any position.
pub(super) const OVERLAP: usize = 32 * 1024;

#[derive(Debug, Deserialize)]
struct RuleSetConfig {
    allowlist: AllowlistConfig,
    rules: Vec<RuleConfig>,
}

/// Additional allow lists, by rule.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExceptionsConfig {
    rules: BTreeMap<String, Vec<AllowlistConfig>>,
}

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretSpan {
    /// The bytes of the secret.
    pub range: Range<usize>,
    /// The rule that found it.
    pub rule: &'static str,
}

/// The rules of a file.
#[derive(Debug)]
pub(super) struct RuleSet {
    rules: Vec<Rule>,
    keywords: AhoCorasick,
    /// The rules of each keyword, by their indices in `rules`.
    of_keyword: Vec<Vec<usize>>,
    allowed: Allowlist,
}

impl RuleSet {
    /// Returns the rules in this crate, read at the first call.
    pub(super) fn get() -> Result<&'static Self, SearchError> {
        RULES.as_ref().map_err(|reason| SearchError::Failed(reason.clone()))
    }

    fn parse(text: &str, exceptions: &str) -> Result<Self, String> {
        let config: RuleSetConfig = toml::from_str(text).map_err(|error| error.to_string())?;
        let mut exceptions: ExceptionsConfig =
            toml::from_str(exceptions).map_err(|error| error.to_string())?;
        let mut rules = Vec::new();
        let mut keywords: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for mut rule in config.rules.into_iter().filter(RuleConfig::holds_in_texts) {
            if rule.keywords.is_empty() {
                return Err(format!("rule {}: without keywords it would run on every text", rule.id));
            }
            for keyword in &rule.keywords {
                keywords.entry(keyword.to_lowercase()).or_default().push(rules.len());
            }
            rule.allowlists.extend(exceptions.rules.remove(&rule.id).into_iter().flatten());
            rules.push(Rule::new(rule));
        }
        if let Some(rule) = exceptions.rules.keys().next() {
            return Err(format!("an exception is for the unknown rule {rule}"));
        }
        let allowed = Allowlist::compile(&config.allowlist)?.ok_or("the allow list of all rules is empty")?;
        let (keywords, of_keyword): (Vec<_>, Vec<_>) = keywords.into_iter().unzip();
        let keywords = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .kind(Some(AhoCorasickKind::DFA))
            .build(&keywords)
            .map_err(|error| error.to_string())?;
        Ok(Self { rules, keywords, of_keyword, allowed })
    }

    /// Returns the secrets in a text, in order and without overlaps.
    ///
    /// # Errors
    /// [`SearchError::Timeout`] after `deadline`, and [`SearchError::Failed`].
    pub(super) fn find(
        &'static self,
        text: &[u8],
        deadline: Instant,
    ) -> Result<Vec<SecretSpan>, SearchError> {
        let (mut found, mut start) = (Vec::new(), 0);
        loop {
            let end = text.len().min(start + PIECE);
            self.find_in(text, start..end, deadline, &mut found)?;
            if end == text.len() {
                return Ok(merged(found));
            }
            start = end - OVERLAP;
        }
    }

    fn find_in(
        &'static self,
        text: &[u8],
        piece: Range<usize>,
        deadline: Instant,
        found: &mut Vec<(Range<usize>, &'static Rule)>,
    ) -> Result<(), SearchError> {
        let (start, is_last) = (piece.start, piece.end == text.len());
        let text = &text[piece];
        for rule in self.rules_for(text) {
            if Instant::now() >= deadline {
                return Err(SearchError::Timeout);
            }
            let take = |secret: Range<usize>, matched: Range<usize>| {
                // At a cut, a text only seems to begin or to end. The neighbouring part contains the whole match.
                let is_cut = start > 0 && matched.start == 0
                    || !is_last && matched.end == text.len() && matched.len() < OVERLAP;
                if !is_cut {
                    found.push((start + secret.start..start + secret.end, rule));
                }
            };
            rule.find(text, &self.allowed, take).map_err(SearchError::Failed)?;
        }
        Ok(())
    }

    /// Returns the rules that have a keyword in a text.
    fn rules_for(&'static self, text: &[u8]) -> impl Iterator<Item = &'static Rule> {
        let (mut seen, mut wanted) = (vec![false; self.of_keyword.len()], vec![false; self.rules.len()]);
        for keyword in self.keywords.find_overlapping_iter(text) {
            let keyword = keyword.pattern().as_usize();
            if !std::mem::replace(&mut seen[keyword], true) {
                self.of_keyword[keyword].iter().for_each(|rule| wanted[*rule] = true);
            }
        }
        self.rules.iter().zip(wanted).filter_map(|(rule, is_wanted)| is_wanted.then_some(rule))
    }
}

/// Sorts secrets, and merges overlapping ones. The rule that is not generic names the result.
fn merged(mut found: Vec<(Range<usize>, &'static Rule)>) -> Vec<SecretSpan> {
    found.sort_by_key(|(range, rule)| (range.start, range.end, rule.is_generic()));
    let mut spans: Vec<(Range<usize>, &'static Rule)> = Vec::new();
    for (range, rule) in found {
        match spans.last_mut() {
            Some((last, named)) if range.start < last.end => {
                last.end = last.end.max(range.end);
                if named.is_generic() {
                    *named = rule;
                }
            }
            _ => spans.push((range, rule)),
        }
    }
    spans.into_iter().map(|(range, rule)| SecretSpan { range, rule: rule.id() }).collect()
}

#[cfg(test)]
mod tests;
