//! The quality that searches must reach on the development sets. The sets are next to the checkout.

use super::{Measures, run::measure};
use crate::{
    arguments::{EmbedderArguments, EmbedderName},
    embedder,
    set::IndexedSet,
};
use mgp_toolindex::index::SearchMode;
use xtask_install::{is_strict, workspace};

/// The lowest NDCG@10 of hybrid searches, with the embedded table and with all-MiniLM-L6-v2.
const SETS: [(&str, f64, f64); 3] =
    [("metatool", 0.73, 0.73), ("bfcl", 0.78, 0.80), ("sealtools", 0.91, 0.91)];

/// The most by which a hybrid search may be worse than the better of only words and only meaning, in NDCG@10.
const SLACK: f64 = 0.005;

/// Measures each set. The last line counts them.
pub(super) fn run(arguments: &EmbedderArguments) -> Result<String, String> {
    let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
    let (mut lines, mut failed, mut skipped) = (Vec::new(), 0, 0);
    for (set, table, model) in SETS {
        let folder = workspace::root().join("../shared/data/eval").join(set);
        if !folder.is_dir() {
            if is_strict() {
                return Err(format!("../shared/data/eval/{set} is not here: CI needs it"));
            }
            lines.push(format!("skip  {set}: ../shared/data/eval/{set} is not here"));
            skipped += 1;
            continue;
        }
        let at_least = if arguments.embedder == EmbedderName::Fastembed { model } else { table };
        let set_of = IndexedSet::read(&folder, embedder::builder(arguments)?);
        let measured = runtime.block_on(set_of)?;
        let modes = [SearchMode::Keyword, SearchMode::Semantic, SearchMode::Hybrid];
        let [words, meaning, hybrid] = modes.map(|mode| measure(&measured, mode));
        match judge(&words?, &meaning?, &hybrid?, at_least) {
            Ok(said) => lines.push(format!("pass  {set}: {said}")),
            Err(said) => {
                failed += 1;
                lines.push(format!("FAIL  {set}: {said}"));
            }
        }
    }
    let passed = SETS.len() - failed - skipped;
    lines.push(format!("{passed} passed, {failed} failed, {skipped} skipped"));
    println!("{}", lines.join("\n"));
    if failed > 0 { Err(format!("{failed} sets are below the required quality")) } else { Ok(String::new()) }
}

/// Describes the result of a set, or the problem with it.
fn judge(words: &Measures, meaning: &Measures, hybrid: &Measures, at_least: f64) -> Result<String, String> {
    let (got, better) = (hybrid.ndcg_10, words.ndcg_10.max(meaning.ndcg_10));
    if got < at_least {
        return Err(format!("NDCG@10 {got:.4}, expected at least {at_least}"));
    }
    if got < better - SLACK {
        return Err(format!("NDCG@10 {got:.4}, expected no less than its better half's {better:.4}"));
    }
    Ok(format!("NDCG@10 {got:.4}, at least {at_least}; its better half {better:.4}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_passes_only_if_both_rules_hold() {
        let of = |ndcg_10| Measures { ndcg_10, ..Measures::default() };
        let judged = |words, meaning, hybrid| judge(&of(words), &of(meaning), &of(hybrid), 0.7).is_ok();
        assert!(judged(0.5, 0.6, 0.7) && judged(0.5, 0.704, 0.7));
        assert!(!judged(0.5, 0.6, 0.69) && !judged(0.5, 0.706, 0.7) && !judged(0.706, 0.5, 0.7));
    }
}
