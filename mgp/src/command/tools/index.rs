//! `mgp tools index`: shows statistics of the index.

use crate::{
    error::CliError,
    output::{Outcome, table},
};
use indicatif::{ProgressBar, ProgressStyle};
use mgp_kernel::Kernel;
use serde::Serialize;

#[derive(Serialize)]
struct Stats {
    tools: usize,
    servers: usize,
    /// The embedder that computes the vectors; `None` if only words are searched.
    embedder: Option<String>,
    dimensions: usize,
    /// The number of tools with a vector.
    embedded: usize,
}

pub(super) async fn stats(kernel: &Kernel) -> Result<Outcome, CliError> {
    wait(kernel).await;
    let found = kernel.operator().index_stats();
    let stats = Stats {
        tools: found.tools,
        servers: found.servers,
        embedder: found.embedder,
        dimensions: found.dimensions,
        embedded: found.embedded,
    };
    let embedder = stats.embedder.clone().unwrap_or_else(|| "none: only words".to_owned());
    let rows = [
        ["tools", &stats.tools.to_string()],
        ["servers", &stats.servers.to_string()],
        ["embedder", &embedder],
        ["dimensions", &stats.dimensions.to_string()],
        ["embedded", &stats.embedded.to_string()],
    ];
    Outcome::new(table(["index", "holds"], rows.map(|row| row.map(ToOwned::to_owned))), &stats)
}

/// Waits until every tool has been indexed, with a progress bar on stderr at a terminal.
async fn wait(kernel: &Kernel) {
    let mut waiting = kernel.operator().index_waiting();
    let left = *waiting.borrow_and_update();
    if left == 0 {
        return;
    }
    let bar = ProgressBar::new(left as u64).with_message("reading tools");
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}") {
        bar.set_style(style);
    }
    let mut most = left;
    while *waiting.borrow() > 0 && waiting.changed().await.is_ok() {
        let left = *waiting.borrow_and_update();
        most = most.max(left);
        bar.set_length(most as u64);
        bar.set_position((most - left) as u64);
    }
    bar.finish_and_clear();
}
