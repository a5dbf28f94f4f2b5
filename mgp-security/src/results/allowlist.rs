//! Lists of texts that are not secrets, although a rule matches them.

use super::pattern::{Pattern, compile_any};
use aho_corasick::AhoCorasick;
use serde::Deserialize;

/// A list of texts that are not secrets, as gitleaks writes it. A reply has neither a commit nor a path, so conditions on these are false.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct AllowlistConfig {
    #[serde(default)]
    #[expect(dead_code, reason = "read, so that an unknown key is an error")]
    description: String,
    #[serde(default)]
    condition: Condition,
    #[serde(default)]
    commits: Vec<String>,
    #[serde(default)]
    paths: Vec<String>,
    #[serde(default)]
    regex_target: RegexTarget,
    #[serde(default)]
    regexes: Vec<String>,
    #[serde(default)]
    stopwords: Vec<String>,
}

/// The number of conditions that must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Condition {
    #[default]
    Or,
    And,
}

/// The text that the patterns of a list are matched with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RegexTarget {
    #[default]
    Secret,
    Match,
    Line,
}

/// A part of a text that a rule found, and its surroundings.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'a> {
    pub(super) secret: &'a [u8],
    /// The whole match of the rule.
    pub(super) matched: &'a [u8],
    /// The lines of the match, up to a distance from it.
    pub(super) line: &'a [u8],
}

/// A compiled list of texts that are not secrets.
#[derive(Debug)]
pub(super) struct Allowlist {
    regexes: Option<Pattern>,
    target: RegexTarget,
    stopwords: Option<AhoCorasick>,
    /// True if the patterns and the words must both match.
    needs_all: bool,
}

impl Allowlist {
    /// Compiles a list. Returns `None` for a list that allows nothing in a reply.
    ///
    /// # Errors
    /// The reason why the list cannot be used.
    pub(super) fn compile(config: &AllowlistConfig) -> Result<Option<Self>, String> {
        let needs_all = config.condition == Condition::And;
        let needs_file = !config.paths.is_empty() || !config.commits.is_empty();
        if needs_all && needs_file {
            return Ok(None);
        }
        let regexes = compile_any(&config.regexes).map_err(|error| error.to_string())?;
        let stopwords = (!config.stopwords.is_empty())
            .then(|| AhoCorasick::builder().ascii_case_insensitive(true).build(&config.stopwords))
            .transpose()
            .map_err(|error| error.to_string())?;
        if regexes.is_none() && stopwords.is_none() {
            return Ok(None);
        }
        Ok(Some(Self { regexes, target: config.regex_target, stopwords, needs_all }))
    }

    /// Returns whether a match is not a secret.
    pub(super) fn allows(&self, candidate: Candidate<'_>) -> bool {
        let target = match self.target {
            RegexTarget::Secret => candidate.secret,
            RegexTarget::Match => candidate.matched,
            RegexTarget::Line => candidate.line,
        };
        let by_regex = self.regexes.as_ref().map(|regexes| regexes.is_match(target));
        let by_word = self.stopwords.as_ref().map(|words| words.is_match(candidate.secret));
        if self.needs_all {
            by_regex != Some(false) && by_word != Some(false)
        } else {
            by_regex == Some(true) || by_word == Some(true)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(toml: &str) -> Option<Allowlist> {
        Allowlist::compile(&toml::from_str(toml).unwrap()).unwrap()
    }

    fn allows(toml: &str, [secret, matched, line]: [&str; 3]) -> bool {
        let [secret, matched, line] = [secret, matched, line].map(str::as_bytes);
        list(toml).unwrap().allows(Candidate { secret, matched, line })
    }

    #[test]
    fn an_allowlist_checks_its_target() {
        let texts = ["s3cret", "key = s3cret", "# key = s3cret"];
        for (list, allowed) in [
            ("regexes = ['^s3']", true),
            ("regexes = ['^key']", false),
            ("regexTarget = 'match'\nregexes = ['^key']", true),
            ("regexTarget = 'match'\nregexes = ['^#']", false),
            ("regexTarget = 'line'\nregexes = ['^#']", true),
            ("stopwords = ['CRET']", true),
            ("stopwords = ['key']", false),
            ("stopwords = ['CRET']\nregexes = ['no']", true),
            ("condition = 'AND'\nstopwords = ['CRET']\nregexes = ['no']", false),
            ("condition = 'AND'\nstopwords = ['CRET']\nregexes = ['s3']", true),
        ] {
            assert_eq!(allows(list, texts), allowed, "{list}");
        }
    }

    #[test]
    fn an_allowlist_of_files_allows_nothing() {
        assert!(list("paths = ['a']").is_none());
        assert!(list("condition = 'AND'\npaths = ['a']\nregexes = ['b']").is_none());
        assert!(list("paths = ['a']\nregexes = ['b']").is_some());
    }
}
