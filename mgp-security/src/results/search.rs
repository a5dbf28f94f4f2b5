//! The search of one text, within its bounds.

use super::{
    mask::{RawSecret, mask},
    plain_text::{RawPlaces, plain_text},
    rule_set::{RuleSet, SecretSpan},
};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use mgp_types::json::RawJson;
use std::{
    collections::{BTreeMap, btree_map::Entry},
    ops::{Range, RangeInclusive},
    sync::LazyLock,
    thread,
    time::{Duration, Instant},
};
use tokio::{sync::Semaphore, task::spawn_blocking};

/// The longest text that is searched, in bytes: the longest message of a connection.
pub const MAX_SEARCHED: usize = 16 * 1024 * 1024;

/// The time limit of one search.
pub const SEARCH_TIMEOUT: Duration = Duration::from_secs(10);

/// The longest text that is searched on the thread that received it. Longer texts are searched on a separate thread.
const SHORT: usize = 64 * 1024;

/// The lengths of the secrets whose other occurrences are secrets too, in bytes.
const REPEATED: RangeInclusive<usize> = 10..=512;

/// The most secrets of one text whose other occurrences are searched for.
const MAX_REPEATED: usize = 1000;

/// The most bytes of these secrets together. They bound the memory of the search for other occurrences.
const MAX_REPEATED_BYTES: usize = 64 * 1024;

/// The long texts that are searched concurrently.
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
    /// The search took too long.
    #[error("the search for secrets took longer than {} seconds", SEARCH_TIMEOUT.as_secs())]
    Timeout,
    /// The search failed, for a reason that is not in the text.
    #[error("the search for secrets failed: {0}")]
    Failed(String),
}

/// Returns the secrets in a text that is not JSON, in order and without overlaps.
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

/// Adds the other occurrences of the secrets that were found: a rule may have matched one only by its context.
fn with_repetitions(text: &[u8], found: Vec<SecretSpan>) -> Vec<SecretSpan> {
    let known = repeatable(text, &found);
    let Some(secrets) = automaton(&known) else { return found };
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

/// Returns the secrets whose other occurrences are searched for, with their rules.
fn repeatable<'a>(text: &'a [u8], found: &[SecretSpan]) -> BTreeMap<&'a [u8], &'static str> {
    let (mut known, mut bytes) = (BTreeMap::new(), 0);
    for SecretSpan { range, rule } in found.iter().filter(|span| REPEATED.contains(&span.range.len())) {
        let fits = known.len() < MAX_REPEATED && bytes + range.len() <= MAX_REPEATED_BYTES;
        if let (true, Entry::Vacant(entry)) = (fits, known.entry(&text[range.clone()])) {
            entry.insert(*rule);
            bytes += range.len();
        }
    }
    known
}

/// Returns the automaton that searches for secrets. The other kind of automaton would take many times the memory.
fn automaton(secrets: &BTreeMap<&[u8], &'static str>) -> Option<AhoCorasick> {
    let builder = &mut AhoCorasick::builder();
    let builder = builder.match_kind(MatchKind::LeftmostLongest).kind(Some(AhoCorasickKind::ContiguousNFA));
    builder.build(secrets.keys()).ok()
}

/// The outcome of the search of a JSON text that contains secrets.
#[derive(Debug)]
pub(super) struct SearchedJson {
    /// The rules of the secrets, one for each secret.
    pub(super) rules: Vec<&'static str>,
    /// The text without the secrets.
    pub(super) masked: RawJson,
}

/// Searches a JSON text. Returns `None` if it contains no secret.
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
    // The thread holds the permit, because it works on if its result is no longer awaited.
    let searched = spawn_blocking(move || {
        let _permit = permit;
        search_now(&json)
    })
    .await;
    searched.unwrap_or_else(|error| Err(SearchError::Failed(error.to_string())))
}

fn search_now(json: &RawJson) -> Result<Option<SearchedJson>, SearchError> {
    let raw = json.as_bytes();
    let found = find(&plain_text(raw))?;
    if found.is_empty() {
        return Ok(None);
    }
    let rules = found.iter().map(|span| span.rule).collect();
    let mut places = RawPlaces::of(raw);
    let secrets: Vec<RawSecret> =
        found.iter().map(|span| (whole_characters(raw, places.raw(&span.range)), span.rule)).collect();
    let masked =
        RawJson::parse(mask(raw, &secrets)).map_err(|error| SearchError::Failed(error.to_string()))?;
    Ok(Some(SearchedJson { rules, masked }))
}

/// Extends a range of a UTF-8 text to whole characters.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the spans of parts of these lengths, one behind the other.
    fn spans(lengths: impl IntoIterator<Item = usize>) -> Vec<SecretSpan> {
        let mut end = 0;
        let span = |length| {
            end += length;
            SecretSpan { range: end - length..end, rule: "r" }
        };
        lengths.into_iter().map(span).collect()
    }

    /// Returns a text of this length without parts that repeat.
    fn numbers(length: usize) -> Vec<u8> {
        let mut text: Vec<u8> =
            (0..length / 10 + 1).flat_map(|number| format!("{number:010}").into_bytes()).collect();
        text.truncate(length);
        text
    }

    #[test]
    fn other_occurrences_are_searched_within_bounds() {
        for (lengths, expected) in [
            (vec![9, 10, 512, 513], 2),
            (vec![10; MAX_REPEATED + 1], MAX_REPEATED),
            (vec![512; 200], MAX_REPEATED_BYTES / 512),
            // A short one still has room.
            ([vec![500; 131], vec![30, 40, 10]].concat(), 132),
        ] {
            let found = spans(lengths);
            let text = numbers(found.last().unwrap().range.end);
            assert_eq!(repeatable(&text, &found).len(), expected);
        }
        assert_eq!(repeatable(&[b'a'; 100], &spans([20, 20, 20])).len(), 1);
    }

    #[test]
    fn the_search_for_other_occurrences_uses_little_memory() {
        for length in [64, 512, 655] {
            let found = spans(vec![length; MAX_REPEATED_BYTES / length]);
            let text: Vec<u8> = (0..found.last().unwrap().range.end)
                .map(|at| (at * 37 + at / 251).to_le_bytes()[0])
                .collect();
            let known = found.iter().map(|span| (&text[span.range.clone()], "r")).collect();
            let memory = automaton(&known).unwrap().memory_usage();
            assert!(memory < 4 * 1024 * 1024, "{length}: {memory}");
        }
    }

    #[test]
    fn an_abandoned_search_keeps_its_permit_until_it_ends() {
        let all = LONG_SEARCHES.available_permits();
        let text = format!("[\"{}\"]", "dolor ".repeat(1024 * 1024));
        let json = RawJson::parse(text).unwrap();
        // The only thread for searches is held up, so that no search ends before the test allows it.
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_time().max_blocking_threads(1).build();
        runtime.unwrap().block_on(async {
            let (go_on, held_up) = std::sync::mpsc::channel::<()>();
            spawn_blocking(move || held_up.recv());
            let mut searched = Box::pin(search(&json));
            assert!(futures_util::poll!(&mut searched).is_pending());
            drop(searched);
            assert!(LONG_SEARCHES.available_permits() < all, "the search has not ended");
            drop(go_on);
            xtask_testing::until(|| LONG_SEARCHES.available_permits() >= all).await;
        });
    }
}
