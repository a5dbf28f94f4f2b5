//! The subcommands of `mgp tools`.

use super::{
    definitions::{self, DefinitionsCommand},
    export::{ExportFormat, export},
    index,
    list::list,
    scan, search, show, spec,
};
use crate::{
    args::Options,
    catalogue::{Catalogue, NeededTools},
    error::CliError,
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
/// Shows what access control and permissions let the agent see, nothing more. Where a gateway runs with this configuration, its
/// tools are shown; else the servers are started.
#[derive(Debug, Args)]
pub(crate) struct ToolsArgs {
    #[command(subcommand)]
    command: Option<ToolsCommand>,
    /// Start the servers for this command, also where a gateway runs them already
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

/// The commands that read the servers' tools.
#[derive(Debug, Subcommand)]
enum CatalogueCommand {
    /// All of them, in the order of the configuration
    List,
    /// Those that fit some words, the best first, and why
    Search {
        /// The purpose that the tool is needed for
        words: String,
        /// The way to search; by words and meaning together unless it says `keyword`
        #[arg(long, value_name = "HOW", value_enum)]
        strategy: Option<Strategy>,
        /// The most tools to show, 1 to 50
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=50))]
        limit: Option<u32>,
        /// Filed under this; may be given several times
        #[arg(long, value_name = "NAME")]
        category: Vec<String>,
        /// At most this dangerous
        #[arg(long, value_name = "RISK", value_enum)]
        risk_max: Option<Risk>,
    },
    /// One tool, whoever may use it: description, schema, risk, validators, permissions, access
    Show {
        /// Its name, as hosts are shown it, or SERVER__TOOL
        name: String,
        /// Only the definition, in the text of its server, which may be another than hosts are shown
        #[arg(long)]
        raw: bool,
    },
    /// The specification of one tool in Markdown: what it does, takes and returns, its errors, examples and risks
    Spec {
        /// Its name, as hosts are shown it, or SERVER__TOOL
        name: String,
    },
    /// All of them as one document, in JSON
    Export {
        /// The form of the document
        #[arg(long, value_name = "FORM", value_enum, default_value = "catalogue")]
        format: ExportFormat,
    },
    /// The content of the index; waits until every tool has been read
    Index {
        /// The numbers, which are all that there is to show
        #[arg(long)]
        stats: bool,
    },
    /// Definitions that look as if they were meant to mislead a model or a person; exit code 1 if there are any
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

impl From<Strategy> for SearchStrategy {
    fn from(strategy: Strategy) -> Self {
        match strategy {
            Strategy::Keyword => Self::Keyword,
            Strategy::Semantic => Self::Semantic,
        }
    }
}

pub(crate) async fn run(options: &Options, args: ToolsArgs) -> Result<Outcome, CliError> {
    match args.command.unwrap_or(ToolsCommand::Catalogue(CatalogueCommand::List)) {
        ToolsCommand::Catalogue(command) => in_catalogue(options, command, args.fresh).await,
        ToolsCommand::Definitions(command) => definitions::run(options, command).await,
    }
}

async fn in_catalogue(
    options: &Options,
    command: CatalogueCommand,
    fresh: bool,
) -> Result<Outcome, CliError> {
    let setup = Setup::load(options)?;
    let needed = match &command {
        CatalogueCommand::Show { name, .. } | CatalogueCommand::Spec { name } => NeededTools::One(name),
        _ => NeededTools::All,
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
        CatalogueCommand::List => list(catalogue, setup).await,
        CatalogueCommand::Show { name, raw } => show::run(catalogue, setup, name, *raw).await,
        CatalogueCommand::Spec { name } => spec::spec(kernel, name),
        CatalogueCommand::Export { format } => export(kernel, setup, *format),
        CatalogueCommand::Index { stats: _ } => index::stats(kernel).await,
        CatalogueCommand::Scan { server } => scan::scan(kernel, server.as_deref(), catalogue.down()),
        CatalogueCommand::Search { words, strategy, limit, category, risk_max } => {
            let filter = DiscoverFilter {
                categories: (!category.is_empty()).then(|| category.clone()),
                risk_level_max: risk_max.map(RiskLevel::from),
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
