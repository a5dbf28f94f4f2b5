//! Searches a snapshot of the index.

use super::{
    Evidence, Hit, IndexError, Query, SearchFilter,
    equals::{WINDOW, behind_equals},
    fields::{Field, IndexSchema},
    fusion::{Fusion, Signs},
    keyword::{self, KeywordScores},
    meaning::{self, MeaningScores, UNKNOWN},
    ranking,
    selection::VisibleTools,
    snapshot::Snapshot,
};
use crate::{tool::IndexedTool, vectors::QuantizedVector, words::each_word};
use mgp_transport::seam::ToolView;
use std::sync::Arc;

/// A search: its query, and its settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// The query.
    pub query: Query,
    /// The search mode.
    pub mode: SearchMode,
    /// The filter that tools must pass.
    pub filter: SearchFilter,
    /// The most tools that are returned.
    pub limit: usize,
}

/// The mode of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SearchMode {
    /// By words only.
    Keyword,
    /// By meaning only. By words if there is no embedder.
    Semantic,
    /// By both. By words if there is no embedder.
    #[default]
    Hybrid,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchResult {
    /// The tools, the best first; those with equal scores by server and name.
    pub hits: Vec<Hit>,
    /// The number of tools that the caller may see, regardless of the query.
    pub total_available: usize,
    /// The mode that was used: without a vector for the query, it is [`SearchMode::Keyword`].
    pub mode: SearchMode,
    /// The signs that decided the share of the words. `None` unless the search was hybrid.
    pub signs: Option<Signs>,
}

impl Search {
    /// Creates a search for the ten best of all tools, by words and meaning.
    #[must_use]
    pub fn new(query: Query) -> Self {
        Self { query, mode: SearchMode::default(), filter: SearchFilter::default(), limit: 10 }
    }
}

/// The weights and measures that combine and rate scores.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    pub(super) fusion: Fusion,
    /// The mean cosine of unrelated texts.
    pub(super) unrelated: f32,
}

/// Searches a snapshot. `vector` is the query's; without one, only words are searched.
pub(super) fn search(
    snapshot: &Snapshot,
    schema: &IndexSchema,
    search: &Search,
    vector: Option<&QuantizedVector>,
    scale: &Scale,
    view: &dyn ToolView,
) -> Result<SearchResult, IndexError> {
    let visible = VisibleTools::new(&snapshot.table, view);
    let words = keyword::score(snapshot, schema, &search.query, &visible)?;
    let filtered = visible.filtered(&snapshot.table, &search.filter);
    // A tool that moves up past a deprecated one may be ranked below the limit.
    let more = if snapshot.table.deprecated > 0 { WINDOW } else { 0 };
    let limit = search.limit.saturating_add(more);
    let meaning = vector.map(|vector| meaning::compare(&snapshot.table, vector, &visible));
    let wanted = |slot: &usize| filtered.as_ref().map_or_else(|| visible.has(*slot), |slots| slots[*slot]);
    let (mode, best, signs) = match (search.mode, &meaning) {
        (SearchMode::Hybrid, Some(meaning)) => {
            let (mix, signs) = scale.fusion.fuse(&words, meaning);
            let cosines = &meaning.cosines;
            let scored = |slot: usize| (slot, mix.score(words.scores[slot], cosines[slot]));
            let best = ranking::best(snapshot, (0..cosines.len()).filter(wanted).map(scored), limit);
            (SearchMode::Hybrid, best, Some(signs))
        }
        (SearchMode::Semantic, Some(MeaningScores { cosines, .. })) => {
            let scored = cosines.iter().copied().enumerate();
            let scored = scored.filter(|(slot, cosine)| *cosine > UNKNOWN && wanted(slot));
            (SearchMode::Semantic, ranking::best(snapshot, scored, limit), None)
        }
        _ => {
            let slots = words.found.iter().map(|slot| *slot as usize).filter(wanted);
            let scored = slots.map(|slot| (slot, words.scores[slot]));
            (SearchMode::Keyword, ranking::best(snapshot, scored, limit), None)
        }
    };
    let hits = best.into_iter().map(|(slot, score, entry)| {
        let cosine = meaning.as_ref().map(|meaning| meaning.cosines[slot]).filter(|cosine| *cosine > UNKNOWN);
        Hit {
            score,
            words: words.scores[slot],
            meaning: cosine,
            evidence: Evidence {
                coverage: coverage(&words, slot),
                nearness: cosine.map(|cosine| (cosine - scale.unrelated) / (1.0 - scale.unrelated)),
                stated: stated(&words, slot, &search.query, &entry.tool),
            },
            tool: Arc::clone(&entry.tool),
            is_limited: false,
        }
    });
    let mut hits: Vec<Hit> = hits.collect();
    behind_equals(&mut hits);
    hits.truncate(search.limit);
    Ok(SearchResult { hits, total_available: visible.count, mode, signs })
}

/// The most bytes of a description that are searched for the words of a query.
const MAX_STATEMENT: usize = 4 * 1024;

/// Returns the share of the query's words that occur in a tool's name, title, description or keywords, 0 to 1.
fn stated(words: &KeywordScores, slot: usize, query: &Query, tool: &IndexedTool) -> f32 {
    if words.named.iter().any(|named| *named as usize == slot) {
        return 1.0;
    }
    let asked = query.words();
    if words.scores[slot] <= 0.0 || asked.is_empty() {
        return 0.0;
    }
    let mut has = vec![false; asked.len()];
    for field in [Field::Name, Field::Title, Field::Description, Field::Keywords] {
        let text = field.text(tool);
        each_word(&text[..text.floor_char_boundary(MAX_STATEMENT)], |word| {
            if let Some(at) = asked.iter().position(|asked| asked == word) {
                has[at] = true;
            }
        });
    }
    has.iter().filter(|has| **has).count() as f32 / asked.len() as f32
}

/// Returns the share of the query that a tool has, 0 to 1.
fn coverage(words: &KeywordScores, slot: usize) -> f32 {
    if words.named.iter().any(|named| *named as usize == slot) {
        return 1.0;
    }
    let known = (words.words - words.unknown) as f32 / words.words.max(1) as f32;
    (words.scores[slot] / words.ideal.max(1e-6) * known).clamp(0.0, 1.0)
}
