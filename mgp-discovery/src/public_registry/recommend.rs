//! Recommends servers of registries for capabilities that no tool has.

use super::{Entry, EntryStatus, PublicRegistry};
use futures_util::future::join_all;
use mgp_types::tool_index::{MatchConfidence, ServerRecommendation};
use parking_lot::Mutex;
use std::{collections::HashMap, sync::Arc, time::Duration};
use tokio::time::{Instant, timeout};

/// The most capabilities of one request that registries are asked about.
const MAX_ASKED: usize = 5;

/// The most servers that are recommended for one capability.
const MAX_RECOMMENDED: usize = 3;

/// The most words of a capability, and the longest word in characters. An agent chooses the words, and they leave the machine.
const MAX_WORDS: usize = 4;
const MAX_WORD: usize = 32;

/// The longest name of a server that is recommended, in bytes.
const MAX_NAME: usize = 200;

/// The time limit of all registries together. Each registry has an equal share of it, so that a hanging one does not affect the others.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The time for which an answer is reused, and the most answers that are kept.
const FRESH: Duration = Duration::from_secs(600);
const MAX_KEPT: usize = 256;

/// Recommends servers of the registries that an operator allows. Clones share the kept answers.
///
/// Only the words of a capability are sent to a registry.
#[derive(Debug, Clone)]
pub struct Recommender {
    registries: Arc<[PublicRegistry]>,
    kept: Arc<Mutex<AnswerCache>>,
}

/// The kept answers by their search words, each with its time.
type AnswerCache = HashMap<Vec<String>, (Instant, Vec<ServerRecommendation>)>;

impl Recommender {
    /// Creates a recommender over registries. The first registry with a server for a capability is used.
    #[must_use]
    pub fn new(registries: impl IntoIterator<Item = PublicRegistry>) -> Self {
        Self { registries: registries.into_iter().collect(), kept: Arc::default() }
    }

    /// Returns the servers that may have these capabilities, at most three for each of the first five. A registry whose answer is late or
    /// unreadable recommends nothing.
    pub async fn recommend(&self, capabilities: &[String]) -> Vec<ServerRecommendation> {
        let found = capabilities.iter().take(MAX_ASKED).map(async |capability| {
            let found = self.servers_for(words(capability)).await;
            found.into_iter().map(|found| ServerRecommendation { capability: capability.clone(), ..found })
        });
        join_all(found).await.into_iter().flatten().collect()
    }

    async fn servers_for(&self, words: Vec<String>) -> Vec<ServerRecommendation> {
        if words.is_empty() {
            return Vec::new();
        }
        if let Some((at, known)) = self.kept.lock().get(&words)
            && at.elapsed() < FRESH
        {
            return known.clone();
        }
        let count = u32::try_from(self.registries.len()).unwrap_or(u32::MAX);
        let (mut is_complete, limit) = (true, TIMEOUT / count.max(1));
        for registry in &*self.registries {
            let found = timeout(limit, registry.search_where(&words, MAX_RECOMMENDED, has_plain_name)).await;
            match found {
                Ok(Ok(found)) if found.entries.is_empty() => {}
                Ok(Ok(found)) => {
                    let found = found.entries.iter().map(|entry| recommendation(registry, entry, &words));
                    return self.keep(words.clone(), found.collect());
                }
                Err(_) => {
                    tracing::warn!("a registry took longer than {limit:?} to recommend servers");
                    is_complete = false;
                }
                Ok(Err(error)) => {
                    tracing::warn!(%error, "a registry could not recommend servers");
                    is_complete = false;
                }
            }
        }
        // A search that a registry did not answer is not cached.
        if is_complete { self.keep(words, Vec::new()) } else { Vec::new() }
    }

    fn keep(&self, words: Vec<String>, found: Vec<ServerRecommendation>) -> Vec<ServerRecommendation> {
        let mut kept = self.kept.lock();
        if kept.len() >= MAX_KEPT {
            kept.retain(|_, (at, _)| at.elapsed() < FRESH);
        }
        if kept.len() < MAX_KEPT {
            kept.insert(words, (Instant::now(), found.clone()));
        }
        found
    }
}

/// Returns the words of a capability such as `design_mockup`.
fn words(capability: &str) -> Vec<String> {
    let words = capability.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words =
        words.take(MAX_WORDS).map(|word| word.chars().take(MAX_WORD).collect::<String>().to_lowercase());
    words.collect()
}

/// Returns whether a model may read the name of a server: it is short, and has no spaces and no line breaks.
fn has_plain_name(entry: &Entry) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte);
    entry.name.len() <= MAX_NAME && entry.name.bytes().all(is_plain)
}

fn recommendation(registry: &PublicRegistry, entry: &Entry, words: &[String]) -> ServerRecommendation {
    let name = entry.name.to_lowercase();
    let match_confidence = match entry.status {
        EntryStatus::Active if words.iter().all(|word| name.contains(word)) => MatchConfidence::High,
        EntryStatus::Active => MatchConfidence::Medium,
        EntryStatus::Deprecated | EntryStatus::Deleted => MatchConfidence::Low,
    };
    ServerRecommendation {
        capability: String::new(),
        server_name: entry.name.clone(),
        registry_url: Some(registry.url().to_owned()),
        auth_flow: None,
        match_confidence: Some(match_confidence),
    }
}
