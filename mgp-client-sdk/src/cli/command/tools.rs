//! `mgp tools`: what the agent can call.

use crate::cli::{
    args::Options,
    error::CliError,
    host::Host,
    output::{Outcome, note, shortened, table},
    setup::{OneCommand, Setup},
    terminal::Unattended,
};
use crate::kernel::Kernel;
use clap::{Args, Subcommand, ValueEnum};
use mgp_types::{
    context::RiskLevel,
    tool_index::{DiscoverFilter, DiscoverTools, DiscoverToolsParams},
};
use serde::Serialize;
use std::{sync::Arc, time::Duration};

/// List or search the tools that the agent may call
///
/// Starts the servers and shows what access control and permissions let the agent see, nothing more.
#[derive(Debug, Args)]
pub(crate) struct ToolsArgs {
    #[command(subcommand)]
    command: Option<ToolsCommand>,
}

#[derive(Debug, Subcommand)]
enum ToolsCommand {
    /// All of them, in the order of the configuration
    List,
    /// Those that fit some words, the best first
    Search {
        /// What the tool is needed for
        words: String,
        /// How many at most, 1 to 50
        #[arg(long, value_name = "N")]
        limit: Option<u32>,
        /// Filed under this; may be given several times
        #[arg(long, value_name = "NAME")]
        category: Vec<String>,
        /// At most this dangerous
        #[arg(long, value_name = "RISK", value_enum)]
        risk_max: Option<Risk>,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Risk {
    Safe,
    Moderate,
    Dangerous,
}

impl From<Risk> for RiskLevel {
    fn from(risk: Risk) -> Self {
        match risk {
            Risk::Safe => Self::Safe,
            Risk::Moderate => Self::Moderate,
            Risk::Dangerous => Self::Dangerous,
        }
    }
}

/// A tool in the list.
#[derive(Serialize)]
struct Row {
    name: String,
    server_id: String,
    risk_level: RiskLevel,
    description: Option<String>,
}

#[derive(Serialize)]
struct List {
    agent: String,
    tools: Vec<Row>,
    /// How many permissions nobody has decided on; the tools that need them are not shown.
    undecided_permissions: usize,
    not_connected: Vec<String>,
}

/// How long servers may take to come up.
const LIMIT: Duration = Duration::from_secs(120);
/// How much of a description the table shows, in characters.
const SHOWN: usize = 72;

pub(crate) async fn run(options: &Options, args: ToolsArgs) -> Result<Outcome, CliError> {
    let setup = Setup::load(options)?;
    let kernel = setup.start(OneCommand, Arc::new(Unattended { confirms: false })).await?;
    let down = kernel.ready(LIMIT).await;
    if !down.is_empty() {
        note(&format!("not connected: {}; see `mgp servers`", down.join(", ")));
    }
    let outcome = match args.command.unwrap_or(ToolsCommand::List) {
        ToolsCommand::List => list(&kernel, &setup, down).await,
        ToolsCommand::Search { words, limit, category, risk_max } => {
            let filter = DiscoverFilter {
                categories: (!category.is_empty()).then_some(category),
                risk_level_max: risk_max.map(RiskLevel::from),
                ..DiscoverFilter::default()
            };
            let params = DiscoverToolsParams {
                query: words,
                strategy: None,
                max_results: limit,
                filter: Some(filter),
            };
            search(&kernel, &setup, &params).await
        }
    };
    kernel.shutdown().await;
    outcome
}

async fn list(kernel: &Kernel, setup: &Setup, not_connected: Vec<String>) -> Result<Outcome, CliError> {
    let rows = kernel.tools(&setup.principal()).into_iter().map(|named| Row {
        name: named.name.to_string(),
        server_id: named.tool.id().server_id.to_string(),
        risk_level: named.tool.risk(),
        description: named.tool.description(),
    });
    let list = List {
        agent: setup.agent.clone(),
        tools: rows.collect(),
        undecided_permissions: kernel.permissions().pending().await?.len(),
        not_connected,
    };
    if list.undecided_permissions > 0 {
        note("tools that wait for a permission are not shown; see `mgp approve`");
    }
    if list.tools.is_empty() {
        note(&format!("agent {:?} may call nothing; see `mgp access list`", list.agent));
        return Outcome::new("", &list);
    }
    let rows = list.tools.iter().map(|row| {
        let description = shortened(row.description.as_deref().unwrap_or_default(), SHOWN);
        [row.name.clone(), row.server_id.clone(), row.risk_level.to_string(), description]
    });
    let text = table(["name", "server", "risk", "description"], rows);
    Outcome::new(text, &list)
}

async fn search(kernel: &Kernel, setup: &Setup, params: &DiscoverToolsParams) -> Result<Outcome, CliError> {
    let host = Host::connect(kernel, setup.principal()).await?;
    let found = host.client.request::<DiscoverTools>(params).await?;
    if found.tools.is_empty() {
        note(&format!("none of {} tools fits", found.total_available));
        return Outcome::new("", &found);
    }
    let rows = found.tools.iter().map(|tool| {
        let security = tool.security.as_ref();
        let risk = security.map(|security| {
            let effective = security.other.text("effective_risk_level");
            effective.unwrap_or_else(|| security.risk_level.to_string())
        });
        let description = shortened(tool.description.as_deref().unwrap_or_default(), SHOWN);
        let score = format!("{:.2}", tool.relevance_score);
        [tool.name.clone(), tool.server_id.clone(), risk.unwrap_or_default(), score, description]
    });
    let text = table(["name", "server", "risk", "score", "description"], rows);
    Outcome::new(text, &found)
}
