//! How well tools must be found with the embedded embedder, on sets that are beside the checkout.

use super::{Measures, run::measure};
use crate::set::Indexed;
use mgp_toolindex::index::{SearchMode, ToolIndex};
use xtask_install::{is_strict, workspace};

/// How much worse than its better half a hybrid search may be, in NDCG@10.
const SLACK: f64 = 0.005;

/// Measures a set by words, by meaning, and by both; none where it is not here, which was said then.
async fn measured(set: &str) -> Option<[Measures; 3]> {
    let folder = workspace::root().join("../shared/data/eval").join(set);
    if !folder.is_dir() {
        assert!(!is_strict(), "../shared/data/eval/{set} is not here: CI needs it");
        eprintln!("skipped: ../shared/data/eval/{set} is not here");
        return None;
    }
    let set = Indexed::read(&folder, ToolIndex::builder()).await.unwrap();
    let modes = [SearchMode::Keyword, SearchMode::Semantic, SearchMode::Hybrid];
    Some(modes.map(|mode| measure(&set, mode).unwrap()))
}

async fn holds(set: &str, at_least: f64) {
    let Some([keyword, semantic, hybrid]) = measured(set).await else { return };
    assert!(hybrid.ndcg_10 >= at_least, "{set}: NDCG@10 {}, expected at least {at_least}", hybrid.ndcg_10);
    let better = keyword.ndcg_10.max(semantic.ndcg_10);
    assert!(hybrid.ndcg_10 >= better - SLACK, "{set}: NDCG@10 {}, its better half {better}", hybrid.ndcg_10);
}

#[tokio::test]
async fn metatool_is_found_as_well_as_it_was() {
    holds("metatool", 0.73).await;
}

#[tokio::test]
async fn bfcl_is_found_as_well_as_it_was() {
    holds("bfcl", 0.78).await;
}

#[tokio::test]
async fn sealtools_is_found_as_well_as_it_was() {
    holds("sealtools", 0.91).await;
}
