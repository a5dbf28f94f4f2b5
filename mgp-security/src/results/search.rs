//! The search of one text, within its bounds.

use super::{
    mask::{RawSecret, mask},
    plain_text::PlainText,
    rule_set::{RuleSet, SecretSpan},
};
use aho_corasick::{AhoCorasick, MatchKind};
use mgp_types::json::RawJson;
use std::{
    collections::BTreeMap,
    ops::Range,
    sync::LazyLock,
    thread,
    time::{Duration, Instant},
};
use tokio::{sync::Semaphore, task::spawn_blocking};

/// The longest text that is searched, in bytes: the longest message of a connection.
pub const MAX_SEARCHED: usize = 16 * 1024 * 1024;

/// The time limit of one search.
pub const SEARCH_TIMEOUT: Duration = Duration::from_secs(10);

/// The longest text that is searched at once where it was received. Longer ones are searched on a thread of their own.
const SHORT: usize = 64 * 1024;

/// The shortest secret whose other occurrences are secrets too, in bytes.
const MIN_REPEATED: usize = 10;

/// The most secrets of one text of which other occurrences are looked for.
const MAX_REPEATED: usize = 1000;

/// The long texts that are searched at once.
static LONG_SEARCHES: LazyLock<Semaphore> =
    LazyLock::new(|| Semaphore::new(thread::available_parallelism().map_or(1, usize::from)));

/// An error that leaves a text unsearched, or searched in part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The text is too long.
    #[error("{length} bytes are too many to be searched for secrets: expected at most {MAX_SEARCHED}")]
    TooLong {
        /// The length of the text in bytes.
        length: usize,
    },
    /// The search takes too long.
    #[error("the search for secrets took longer than {} seconds", SEARCH_TIMEOUT.as_secs())]
    Timeout,
    /// The search failed, for a reason that is not in the text.
    #[error("the search for secrets failed: {0}")]
    Failed(String),
}

/// Returns the secrets in a text that is no JSON, in order and apart from each other.
///
/// ```
/// use mgp_security::results::find_secrets;
///
/// let text = format!("export GITHUB_TOKEN=ghp_{}", "x7Qd2LwZ9rTb4NcV8sKf1JhG5mYp3AeU6oRi");
/// let found = find_secrets(&text)?;
/// assert_eq!((found[0].rule, &text[..found[0].range.start]), ("github-pat", "export GITHUB_TOKEN="));
/// assert!(find_secrets("commit 3f786850e387550fdab836ed7e6dc881de23001b")?.is_empty());
/// # Ok::<(), mgp_security::results::SearchError>(())
/// ```
///
/// # Errors
/// [`SearchError`].
pub fn find_secrets(text: &str) -> Result<Vec<SecretSpan>, SearchError> {
    let mut found = find(text.as_bytes())?;
    for SecretSpan { range, .. } in &mut found {
        range.start = text.floor_char_boundary(range.start);
        range.end = text.ceil_char_boundary(range.end);
    }
    Ok(found)
}

fn find(text: &[u8]) -> Result<Vec<SecretSpan>, SearchError> {
    if text.len() > MAX_SEARCHED {
        return Err(SearchError::TooLong { length: text.len() });
    }
    let found = RuleSet::get()?.find(text, Instant::now() + SEARCH_TIMEOUT)?;
    if found.is_empty() {
        return Ok(found);
    }
    Ok(with_repetitions(text, found))
}

/// Adds the other occurrences of the secrets that were found: a rule may have known one by its surroundings alone.
fn with_repetitions(text: &[u8], found: Vec<SecretSpan>) -> Vec<SecretSpan> {
    let mut known: BTreeMap<&[u8], &'static str> = BTreeMap::new();
    for SecretSpan { range, rule } in found.iter().filter(|span| span.range.len() >= MIN_REPEATED) {
        if known.len() < MAX_REPEATED {
            known.entry(&text[range.clone()]).or_insert(rule);
        }
    }
    let Ok(secrets) = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(known.keys())
    else {
        return found;
    };
    let rules: Vec<_> = known.values().copied().collect();
    let repeated = secrets.find_iter(text);
    let repeated = repeated.map(|at| SecretSpan { range: at.range(), rule: rules[at.pattern().as_usize()] });
    let apart = |span: &SecretSpan| {
        let after = found.partition_point(|other| other.range.end <= span.range.start);
        found.get(after).is_none_or(|other| span.range.end <= other.range.start)
    };
    let mut all: Vec<_> = repeated.filter(apart).collect();
    all.extend(found.iter().cloned());
    all.sort_by_key(|span| span.range.start);
    all
}

/// The outcome of the search of a JSON text that holds secrets.
#[derive(Debug)]
pub(super) struct SearchedJson {
    /// The rules of the secrets, one for each secret.
    pub(super) rules: Vec<&'static str>,
    /// The text without the secrets.
    pub(super) masked: RawJson,
}

/// Searches a JSON text. Returns `None` if it holds no secret.
///
/// # Errors
/// [`SearchError`].
pub(super) async fn search(json: &RawJson) -> Result<Option<SearchedJson>, SearchError> {
    let length = json.as_bytes().len();
    if length <= SHORT {
        return search_now(json);
    }
    if length > MAX_SEARCHED {
        return Err(SearchError::TooLong { length });
    }
    let permit = LONG_SEARCHES.acquire().await;
    let json = json.clone();
    let searched = spawn_blocking(move || search_now(&json)).await;
    drop(permit);
    searched.unwrap_or_else(|error| Err(SearchError::Failed(error.to_string())))
}

fn search_now(json: &RawJson) -> Result<Option<SearchedJson>, SearchError> {
    let raw = json.as_bytes();
    let reading = PlainText::of(raw);
    let found = find(reading.text())?;
    if found.is_empty() {
        return Ok(None);
    }
    let rules = found.iter().map(|span| span.rule).collect();
    let secrets: Vec<RawSecret> =
        found.iter().map(|span| (whole_characters(raw, reading.raw(&span.range)), span.rule)).collect();
    let masked =
        RawJson::parse(mask(raw, &secrets)).map_err(|error| SearchError::Failed(error.to_string()))?;
    Ok(Some(SearchedJson { rules, masked }))
}

/// Extends a part of a UTF-8 text to whole characters.
fn whole_characters(text: &[u8], mut range: Range<usize>) -> Range<usize> {
    let continues = |at: usize| text.get(at).is_some_and(|byte| byte & 0b1100_0000 == 0b1000_0000);
    while continues(range.start) {
        range.start -= 1;
    }
    while continues(range.end) {
        range.end += 1;
    }
    range
}
