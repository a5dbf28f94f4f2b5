//! `mgp tools search`: searches the agent's tools, and shows the reasons for each match.

use super::server::check_server;
use crate::{
    error::CliError,
    host::Host,
    output::{Outcome, note, shortened, table},
    setup::Setup,
};
use mgp_kernel::Kernel;
use mgp_toolindex::index::{Field, Hit, Query, Search, SearchMode};
use mgp_types::tool_index::{
    AboveRisk, DiscoverTools, DiscoverToolsParams, DiscoverToolsResult, SearchStrategy,
};
use serde::Serialize;
use std::collections::HashMap;

/// The maximum length of a description in the table, in characters.
const SHOWN: usize = 48;

/// The reasons for a match.
#[derive(Default, Serialize)]
struct MatchReasons {
    /// The fields that contain a word of the query.
    fields: Vec<&'static str>,
    /// The BM25 score of the words, over all fields.
    words: f32,
    /// The cosine similarity of the meanings.
    #[serde(skip_serializing_if = "Option::is_none")]
    meaning: Option<f32>,
    /// True if the tool states that it is deprecated. It then ranks behind equal matches.
    deprecated: bool,
}

#[derive(Serialize)]
struct SearchReport {
    #[serde(flatten)]
    result: DiscoverToolsResult,
    /// The reasons for each tool, in the order of the tools.
    why: Vec<MatchReasons>,
}

pub(super) async fn run(
    kernel: &Kernel,
    setup: &Setup,
    params: &DiscoverToolsParams,
) -> Result<Outcome, CliError> {
    if let Some(server) = params.filter.as_ref().and_then(|filter| filter.server_id.as_deref()) {
        check_server(kernel, server)?;
    }
    let host = Host::connect(kernel, setup.principal()).await?;
    let result = host.client.request::<DiscoverTools>(params).await?;
    for hint in result.notes.iter().flat_map(|notes| &notes.hints) {
        note(hint);
    }
    let above = result.notes.as_ref().and_then(|notes| notes.above_risk.as_ref());
    if let Some(AboveRisk { tools, lowest_risk_level, .. }) = above {
        note(&format!(
            "{tools} more would fit above that risk: see them with --risk-max {lowest_risk_level}"
        ));
    }
    if result.tools.is_empty() {
        if result.notes.as_ref().is_some_and(|notes| !notes.hints.is_empty()) {
            return Outcome::new("", &SearchReport { result, why: Vec::new() });
        }
        note(&format!("none of {} tools matches", result.total_available));
        return Outcome::new("", &SearchReport { result, why: Vec::new() });
    }
    let hits = hits(kernel, setup, params)?;
    let why: Vec<MatchReasons> = result.tools.iter().map(|tool| hits.why(&tool.name)).collect();
    let rows = result.tools.iter().zip(&why).map(|(tool, why)| {
        let security = tool.security.as_ref();
        let risk = security.map(|security| {
            let effective = security.other.text("effective_risk_level");
            effective.unwrap_or_else(|| security.risk_level.to_string())
        });
        let description = shortened(tool.description.as_deref().unwrap_or_default(), SHOWN);
        let score = format!("{:.2}", tool.relevance_score);
        [
            tool.name.clone(),
            tool.server_id.clone(),
            risk.unwrap_or_default(),
            score,
            why.to_string(),
            description,
        ]
    });
    let text = table(["name", "server", "risk", "score", "why", "description"], rows);
    let how = match result.search_strategy {
        SearchStrategy::Keyword => "by words",
        SearchStrategy::Semantic => "by words and meaning",
        SearchStrategy::Category => "by category",
    };
    note(&format!("searched {} tools {how}", result.total_available));
    Outcome::new(text, &SearchReport { result, why })
}

/// The hits of the same search, with details that the answer to hosts leaves out.
struct Hits {
    /// The query, or `None` if the words cannot be searched for.
    query: Option<Query>,
    /// The hits by the names that hosts are shown.
    by_name: HashMap<String, Hit>,
}

fn hits(kernel: &Kernel, setup: &Setup, params: &DiscoverToolsParams) -> Result<Hits, CliError> {
    let Ok(query) = Query::new(&params.query) else {
        return Ok(Hits { query: None, by_name: HashMap::new() });
    };
    let mode = match params.strategy {
        Some(SearchStrategy::Keyword) => SearchMode::Keyword,
        _ => SearchMode::Hybrid,
    };
    // Filters and the budget only remove hits, so every tool in the host's result is among these.
    let search = Search { mode, limit: usize::MAX, ..Search::new(query.clone()) };
    let principal = setup.principal();
    let found = kernel.search(&principal, &search).map_err(CliError::failed)?;
    let mut by_id: HashMap<_, _> = found.hits.into_iter().map(|hit| (hit.tool.id().clone(), hit)).collect();
    let named = kernel.tools(&principal).into_iter();
    let by_name = named.filter_map(|named| Some((named.name.to_string(), by_id.remove(named.tool.id())?)));
    Ok(Hits { query: Some(query), by_name: by_name.collect() })
}

impl Hits {
    fn why(&self, name: &str) -> MatchReasons {
        let found = self.query.as_ref().zip(self.by_name.get(name));
        found.map_or_else(MatchReasons::default, |(query, hit)| MatchReasons {
            fields: hit.matched_fields(query).into_iter().map(Field::as_str).collect(),
            words: hit.words,
            meaning: hit.meaning,
            deprecated: hit.tool.is_deprecated(),
        })
    }
}

impl std::fmt::Display for MatchReasons {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut parts = Vec::new();
        if !self.fields.is_empty() {
            parts.push(format!("words {:.1} in {}", self.words, self.fields.join(", ")));
        } else if self.words > 0.0 {
            parts.push(format!("a name like it {:.1}", self.words));
        }
        parts.extend(self.meaning.map(|cosine| format!("meaning {cosine:.2}")));
        if self.deprecated {
            parts.push("deprecated".to_owned());
        }
        f.write_str(&parts.join("; "))
    }
}
