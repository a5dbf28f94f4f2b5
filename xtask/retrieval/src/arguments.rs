//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum, builder::TypedValueParser as _};
use std::path::PathBuf;

#[derive(Debug, Parser)]
#[command(name = "cargo xtask", about = "The quality of tool searches")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) work: Work,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Work {
    /// Measure how well the tools of a set are found
    Eval(EvalArguments),
    /// Fit the weights of words and meaning
    Fit(FitArguments),
    /// Make the table of the embedded embedder
    Distill(DistillArguments),
    /// Install ONNX Runtime from PyPI and print where the library is
    Onnxruntime,
}

#[derive(Debug, Args)]
pub(crate) struct EvalArguments {
    /// A folder with tools.jsonl and queries.jsonl
    #[arg(long, value_name = "DIR", required_unless_present = "bars")]
    pub(crate) data: Option<PathBuf>,
    /// Check the development sets next to the checkout against the required quality
    #[arg(long, conflicts_with_all = ["data", "json"])]
    pub(crate) bars: bool,
    #[command(flatten)]
    pub(crate) embedder: EmbedderArguments,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FitArguments {
    /// Folders with tools.jsonl and queries.jsonl; every other query of each is learned from
    #[arg(long, value_name = "DIR", required = true, num_args = 1..)]
    pub(crate) data: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) embedder: EmbedderArguments,
}

#[derive(Debug, Args)]
pub(crate) struct EmbedderArguments {
    /// The embedder that finds the meaning of a text
    #[arg(long, value_enum, default_value_t = EmbedderName::Static)]
    pub(crate) embedder: EmbedderName,
    /// For `static`, another table; for `fastembed`, a folder with a model, or a model's name
    #[arg(long, value_name = "PATH or NAME")]
    pub(crate) model: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EmbedderName {
    /// No embedder: only words
    None,
    /// The table in the crate
    Static,
    /// A sentence model, by fastembed
    Fastembed,
}

#[derive(Debug, Args)]
pub(crate) struct DistillArguments {
    /// Folders with texts to learn from: tools.jsonl, and queries*.jsonl if they exist
    #[arg(long, value_name = "DIR", required = true, num_args = 1..)]
    pub(crate) text: Vec<PathBuf>,
    /// The folder of the sentence model to learn from
    #[arg(long, value_name = "DIR")]
    pub(crate) model: PathBuf,
    /// The output file for the table
    #[arg(long, value_name = "FILE", default_value = "mgp-toolindex/src/embed/table/table.bin")]
    pub(crate) out: PathBuf,
    /// The number of dimensions of a vector
    #[arg(long, value_name = "N", default_value_t = 192, value_parser = clap::value_parser!(u32).range(8..=384).map(|n| n as usize))]
    pub(crate) dimensions: usize,
    /// The folder that keeps the model's output for the next run
    #[arg(long, value_name = "DIR", default_value = "target/distill")]
    pub(crate) cache: PathBuf,
}
