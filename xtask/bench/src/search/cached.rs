//! A cache that holds every vector from the start.
//!
//! A sentence model takes an hour for 100,000 tools, and the speed of a vector search does not depend on the meaning of the vectors. So
//! the model embeds the real tools. Each generated tool has the vector of its original tool, turned a little.

use crate::tools::{Generator, Server};
use fastrand::Rng;
use mgp_toolindex::{
    embed::{Embedder, EmbeddingCache, EmbeddingKey, SqliteEmbeddingCache, passage},
    tool::IndexedTool,
    vectors::QuantizedVector,
};
use mgp_types::{context::RiskLevel, json::RawJson};
use std::path::Path;

const SEED: u64 = 384;
/// The length of the offset that turns a vector.
const TURNED: f32 = 0.5;

/// Fills a cache with the vectors of these tools.
pub(super) fn fill<'a>(
    path: &Path,
    embedder: &dyn Embedder,
    generator: &Generator,
    servers: impl Iterator<Item = &'a Server>,
) -> Result<SqliteEmbeddingCache, String> {
    let texts = generator.real().iter().map(|tool| {
        let json = RawJson::from_value(&tool.definition).map_err(|error| error.to_string())?;
        indexed(&tool.server, &json).map(|tool| passage(&tool))
    });
    let texts = texts.collect::<Result<Vec<_>, String>>()?;
    let vectors = embedder.embed_passages(&texts).map_err(|error| error.to_string())?;
    let cache = SqliteEmbeddingCache::open(path).map_err(|error| error.to_string())?;
    let mut rng = Rng::with_seed(SEED);
    for server in servers {
        let mut found = Vec::new();
        for (json, base) in server.tools.iter().zip(&server.made_from) {
            let text = passage(&indexed(&server.id, json)?);
            let turned = turned(&vectors[*base], &mut rng);
            let vector = QuantizedVector::new(&turned).ok_or("a tool has no vector")?;
            found.push((EmbeddingKey::new(embedder.id(), &text), vector));
        }
        cache.put(&found);
    }
    Ok(cache)
}

pub(super) fn indexed(server: &str, json: &RawJson) -> Result<IndexedTool, String> {
    IndexedTool::new(server, json, RiskLevel::Safe).map_err(|error| format!("a tool of {server}: {error}"))
}

fn turned(vector: &[f32], rng: &mut Rng) -> Vec<f32> {
    // The corner of a cube is as good a direction as any other.
    let step = TURNED / (vector.len() as f32).sqrt();
    vector.iter().map(|x| x + if rng.bool() { step } else { -step }).collect()
}
