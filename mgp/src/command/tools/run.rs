//! The subcommands of `mgp tools`.

use super::{
    definitions::{self, DefinitionsCommand},
    export::{ExportFormat, export},
    index,
    list::{ListArgs, list},
    scan, search, show, spec,
};
use crate::{
    catalogue::{Catalogue, NeededTools},
    error::CliError,
    options::Options,
    output::Outcome,
    setup::Setup,
};
use clap::{Args, Subcommand, ValueEnum};
use mgp_types::{
    context::RiskLevel,
    tool_index::{DiscoverFilter, DiscoverToolsParams, SearchStrategy},
};

/// List or search the tools that the agent may call
///
/// Only shows tools that access control and permissions let the agent see. If a gateway runs with this configuration, its tools
/// are shown; otherwise the servers are started.
#[derive(Debug, Args)]
pub(crate) struct ToolsArgs {
    #[command(subcommand)]
    command: Option<ToolsCommand>,
    /// Start the servers for this command, even if a running gateway has them
    #[arg(long, global = true)]
    fresh: bool,
}

#[derive(Debug, Subcommand)]
enum ToolsCommand {
    #[command(flatten)]
    Catalogue(CatalogueCommand),
    #[command(flatten)]
    Definitions(DefinitionsCommand),
}

/// The commands that need the servers' tools.
#[derive(Debug, Subcommand)]
enum CatalogueCommand {
    /// List every tool, in configuration order
    List(ListArgs),
    /// Search the tools for words, best match first, with the reasons
    Search {
        /// The task that a tool is needed for
        words: String,
        /// The search strategy; by default, words and meaning are searched together
        #[arg(long, value_name = "HOW", value_enum)]
        strategy: Option<Strategy>,
        /// Maximum number of tools to list, 1 to 50
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=50))]
        limit: Option<u32>,
        /// Only tools of this category; may be given several times
        #[arg(long, value_name = "NAME")]
        category: Vec<String>,
        /// Only tools of this server
        #[arg(long, value_name = "ID")]
        server: Option<String>,
        /// Maximum risk of the tools listed
        #[arg(long, value_name = "RISK", value_enum)]
        risk_max: Option<Risk>,
    },
    /// Show one tool, even if the agent may not use it: description, schema, risk, validators, permissions, access
    Show {
        /// The tool: its name for hosts, or SERVER__TOOL
        name: String,
        /// Print only the server's own definition, which may differ from the one that hosts are shown
        #[arg(long)]
        raw: bool,
    },
    /// Print the specification of one tool in Markdown: purpose, parameters, results, errors, examples and risks
    Spec {
        /// The tool: its name for hosts, or SERVER__TOOL
        name: String,
    },
    /// Print every tool in one JSON document
    Export {
        /// The format of the document
        #[arg(long, value_name = "FORM", value_enum, default_value = "catalogue")]
        format: ExportFormat,
    },
    /// Show statistics of the index; waits until every tool has been indexed
    Index {
        /// Show statistics, which is the default
        #[arg(long)]
        stats: bool,
    },
    /// Show definitions that may be meant to mislead a model or a person; exits with code 1 if there are any
    Scan {
        /// Only the tools of this server
        server: Option<String>,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Strategy {
    Keyword,
    Semantic,
}

/// A risk, as options name it.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Risk {
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

impl From<Strategy> for SearchStrategy {
    fn from(strategy: Strategy) -> Self {
        match strategy {
            Strategy::Keyword => Self::Keyword,
            Strategy::Semantic => Self::Semantic,
        }
    }
}

pub(crate) async fn run(options: &Options, args: ToolsArgs) -> Result<Outcome, CliError> {
    match args.command.unwrap_or(ToolsCommand::Catalogue(CatalogueCommand::List(ListArgs::default()))) {
        ToolsCommand::Catalogue(command) => in_catalogue(options, command, args.fresh).await,
        ToolsCommand::Definitions(command) => definitions::run(options, command).await,
    }
}

async fn in_catalogue(
    options: &Options,
    command: CatalogueCommand,
    fresh: bool,
) -> Result<Outcome, CliError> {
    let setup = Setup::load(options).await?;
    let needed = match &command {
        CatalogueCommand::Show { name, .. } | CatalogueCommand::Spec { name } => NeededTools::One(name),
        CatalogueCommand::List(_) | CatalogueCommand::Search { .. } => NeededTools::Some,
        CatalogueCommand::Export { .. } | CatalogueCommand::Index { .. } | CatalogueCommand::Scan { .. } => {
            NeededTools::All
        }
    };
    Catalogue::with(&setup, needed, fresh, async |catalogue: &Catalogue| {
        carry_out(catalogue, &setup, &command).await
    })
    .await
}

async fn carry_out(
    catalogue: &Catalogue,
    setup: &Setup,
    command: &CatalogueCommand,
) -> Result<Outcome, CliError> {
    let kernel = &catalogue.kernel;
    match command {
        CatalogueCommand::List(args) => list(catalogue, setup, args).await,
        CatalogueCommand::Show { name, raw } => show::run(catalogue, setup, name, *raw).await,
        CatalogueCommand::Spec { name } => spec::spec(kernel, name),
        CatalogueCommand::Export { format } => export(kernel, setup, *format),
        CatalogueCommand::Index { stats: _ } => index::stats(kernel).await,
        CatalogueCommand::Scan { server } => scan::scan(kernel, server.as_deref(), catalogue.down()),
        CatalogueCommand::Search { words, strategy, limit, category, server, risk_max } => {
            let filter = DiscoverFilter {
                categories: (!category.is_empty()).then(|| category.clone()),
                risk_level_max: risk_max.map(RiskLevel::from),
                server_id: server.clone(),
                ..DiscoverFilter::default()
            };
            let params = DiscoverToolsParams {
                query: words.clone(),
                strategy: strategy.map(SearchStrategy::from),
                max_results: *limit,
                filter: Some(filter),
            };
            search::run(kernel, setup, &params).await
        }
    }
}
