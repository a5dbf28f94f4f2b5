//! The lesson of a query: the quality of its answer for each share of the words.

use crate::{
    eval::ndcg,
    set::{IndexedSet, QueryLine},
};
use mgp_toolindex::index::{Fusion, Query, Search, SearchMode, Signs};
use mgp_transport::seam::FullVisibility;

/// The number of steps from no share to all.
const STEPS: usize = 10;

pub(super) struct Lesson {
    signs: Signs,
    /// The NDCG@10 for each share, in steps.
    gains: [f64; STEPS + 1],
}

impl Lesson {
    /// Reads a query. Returns `None` if the embedder finds no meaning in the query: then there is nothing to weigh.
    pub(super) fn read(set: &IndexedSet, line: &QueryLine) -> Result<Option<Self>, String> {
        let query = Query::new(&line.query).map_err(|error| format!("query {:?}: {error}", line.id))?;
        let search = Search { mode: SearchMode::Hybrid, limit: usize::MAX, ..Search::new(query) };
        let result = set.index.search(&search, &FullVisibility).map_err(|error| error.to_string())?;
        let Some(signs) = result.signs else { return Ok(None) };
        let most = result.hits.iter().map(|hit| hit.words).fold(0.0, f32::max).max(1e-6);
        let near: Vec<f32> = result.hits.iter().filter_map(|hit| hit.meaning).collect();
        let mean = near.iter().sum::<f32>() / near.len().max(1) as f32;
        let width = (near.iter().copied().fold(f32::MIN, f32::max) - mean).max(1e-6);
        let mut gains = [0.0; STEPS + 1];
        for (step, gain) in gains.iter_mut().enumerate() {
            let share = step as f32 / STEPS as f32;
            let mut scored: Vec<(f32, &str)> = result
                .hits
                .iter()
                .map(|hit| {
                    let near = hit.meaning.map_or(0.0, |cosine| (cosine - mean) / width);
                    (share * hit.words / most + (1.0 - share) * near, set.id(&hit.tool))
                })
                .collect();
            let best = 10.min(scored.len());
            let order = |a: &(f32, &str), b: &(f32, &str)| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1));
            if best < scored.len() {
                scored.select_nth_unstable_by(best, order);
            }
            scored.truncate(best);
            scored.sort_by(order);
            let found: Vec<&str> = scored.iter().map(|(_, id)| *id).collect();
            *gain = ndcg(&found, &line.relevant, 10);
        }
        Ok(Some(Self { signs, gains }))
    }

    /// Returns the quality of the answer with some weights; between two steps, interpolates.
    pub(super) fn gain(&self, fusion: &Fusion) -> f64 {
        let at = f64::from(fusion.share_of_words(&self.signs)) * STEPS as f64;
        let below = (at as usize).min(STEPS - 1);
        let part = at - below as f64;
        self.gains[below] * (1.0 - part) + self.gains[below + 1] * part
    }

    /// Returns the quality with gains that change less from step to step, so that a climb meets fewer small hills.
    pub(super) fn smooth_gain(&self, fusion: &Fusion) -> f64 {
        let at = f64::from(fusion.share_of_words(&self.signs)) * STEPS as f64;
        let weight = |step: usize| (-(at - step as f64).powi(2) / 2.0).exp();
        let (sum, all) = (0..=STEPS)
            .fold((0.0, 0.0), |(sum, all), step| (sum + weight(step) * self.gains[step], all + weight(step)));
        sum / all
    }

    /// Returns the quality by only meaning, and by only words.
    pub(super) fn halves(&self) -> (f64, f64) {
        (self.gains[0], self.gains[STEPS])
    }
}
