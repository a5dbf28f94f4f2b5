//! Counts the tokens of each set of tools.

use super::{host::Host, rows::rows, server::spec};
use crate::{
    measure::{Settings, run_within},
    report::Row,
    tools::{self, Generator, TOOLS_A_SERVER},
};
use mgp_kernel::ServerSpec;
use mgp_toolindex::exposure::Exposure;
use mgp_types::json::RawJson;
use std::{collections::BTreeMap, path::PathBuf};

/// The number of tools in the larger set.
const MANY: usize = 2_000;

/// The requests of an agent, each followed by `=` and the tools that serve it.
const SENTENCES: &str = include_str!("../../../sentences.txt");

/// The part of a context that one set of tools takes, in tokens.
#[derive(Debug, Clone, Copy)]
pub(super) struct ContextSize {
    /// The number of tools.
    pub(super) tools: usize,
    /// A plain `tools/list`.
    pub(super) plain: u64,
    /// The list of the mode `hybrid`.
    pub(super) hybrid: u64,
    /// The mean size of the answer to a search.
    pub(super) discovery: f64,
    /// The mean number of tools that a search finds.
    pub(super) found: f64,
}

/// Runs the bench.
pub(crate) fn run(settings: &Settings) -> Result<Vec<Row>, String> {
    match tools::shared()? {
        Some(shared) => run_within(settings, |_| sets(shared)),
        None => Ok(Vec::new()),
    }
}

async fn sets(shared: PathBuf) -> Result<Vec<Row>, String> {
    let generator = Generator::new(&shared)?;
    let mut real: BTreeMap<&str, Vec<RawJson>> = BTreeMap::new();
    for tool in generator.real() {
        let json = RawJson::from_value(&tool.definition).map_err(|error| error.to_string())?;
        real.entry(&tool.server).or_default().push(json);
    }
    let real = || real.iter().map(|(id, tools)| spec(id, tools)).collect();
    let many = (0..MANY.div_ceil(TOOLS_A_SERVER)).map(|number| generator.server(number, 0));
    let many = many.collect::<Result<Vec<_>, String>>()?;
    let many = || many.iter().map(|server| spec(&server.id, &server.tools)).collect();
    let mut all = rows("real", &count(real).await?);
    all.extend(rows("generated", &count(many).await?));
    Ok(all)
}

async fn count(servers: impl Fn() -> Vec<ServerSpec>) -> Result<ContextSize, String> {
    let (tools, plain) = Host::connect(servers(), Exposure::Full).await?.list().await?;
    let mut host = Host::connect(servers(), Exposure::Hybrid).await?;
    let (_, hybrid) = host.list().await?;
    let (mut found, mut tokens, mut count) = (0, 0, 0.0);
    for sentence in sentences() {
        let (tools, taken) = host.discover(sentence).await?;
        if tools == 0 {
            return Err(format!("{sentence:?} found nothing, which takes no tokens"));
        }
        found += tools;
        tokens += taken;
        count += 1.0;
    }
    Ok(ContextSize { tools, plain, hybrid, discovery: tokens as f64 / count, found: found as f64 / count })
}

fn sentences() -> impl Iterator<Item = &'static str> {
    let lines = SENTENCES.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| Some(line.split_once(" = ")?.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_twenty_sentences() {
        assert_eq!(sentences().count(), 20);
        assert!(
            sentences().all(|sentence| sentence.split(' ').count() >= 3 && !sentence.contains(['=', '/']))
        );
    }
}
