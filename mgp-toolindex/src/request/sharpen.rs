//! The order of several tools that have a capability.

use super::{
    params::ToolsRequest,
    types::{ToolSide, matched},
};
use crate::{index::Hit, words::plain_word_set};
use std::collections::BTreeSet;

/// The weight of matching types, for each of input and output, added to a relevance from 0 to 1.
const TYPES: f64 = 0.2;
/// The weight of the words of the context that also occur in the tool.
const CONTEXT: f64 = 0.1;
/// The shortest word of a context that counts, in bytes.
const MIN_WORD: usize = 4;

/// Sorts tools by how well they fit. If any of them is at most as dangerous as preferred, more dangerous ones are dropped.
pub(super) fn sharpen(hits: Vec<Hit>, asked: &ToolsRequest) -> Vec<Hit> {
    let context: BTreeSet<String> =
        plain_word_set(&asked.context).into_iter().filter(|word| word.len() >= MIN_WORD).collect();
    let mut scored: Vec<(f64, Hit)> = hits.into_iter().map(|hit| (fit(&hit, asked, &context), hit)).collect();
    if let Some(preferred) = asked.preferred_risk
        && scored.iter().any(|(_, hit)| hit.tool.risk() <= preferred)
    {
        scored.retain(|(_, hit)| hit.tool.risk() <= preferred);
    }
    // The sort is stable: equally suitable tools keep the order of the index.
    scored.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    scored.into_iter().map(|(_, hit)| hit).collect()
}

fn fit(hit: &Hit, asked: &ToolsRequest, context: &BTreeSet<String>) -> f64 {
    let input = matched(&hit.tool, ToolSide::Input, &asked.input_types);
    let output = matched(&hit.tool, ToolSide::Output, &asked.output_types);
    hit.relevance() + TYPES * (input + output) + CONTEXT * shared(hit, context)
}

/// Returns the share of the context's words that the tool has.
fn shared(hit: &Hit, context: &BTreeSet<String>) -> f64 {
    if context.is_empty() {
        return 0.0;
    }
    let text = hit.tool.text();
    let own = plain_word_set(&[&*text.name, &text.title, &text.keywords, &text.description].join(" "));
    #[expect(clippy::cast_precision_loss, reason = "a few thousand at most")]
    let share = context.intersection(&own).count() as f64 / context.len() as f64;
    share
}
