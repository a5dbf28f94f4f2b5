//! `mgp tools export`: prints the tools that the agent may call as one document.

use crate::{error::CliError, output::Outcome, setup::Setup};
use clap::ValueEnum;
use jiff::Timestamp;
use mgp_kernel::Kernel;
use mgp_toolindex::describe::{ToolDescription, catalogue, schemas};

/// The format of the document.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum ExportFormat {
    /// Names, schemas, tags, versions and examples, with the time of the export
    Catalogue,
    /// OpenAPI 3.1 for `POST /tools/NAME`
    Openapi,
    /// The service manifest of the extension proposals
    Manifest,
    /// JSON Schemas by tool name, with examples
    JsonSchema,
}

pub(super) fn export(kernel: &Kernel, setup: &Setup, format: ExportFormat) -> Result<Outcome, CliError> {
    let principal = setup.principal();
    let tools: Vec<ToolDescription> = kernel.tools(&principal).iter().map(ToolDescription::of).collect();
    let document = match format {
        ExportFormat::Catalogue => catalogue(&tools, &Timestamp::now().to_string()),
        ExportFormat::Openapi => kernel.openapi(&principal),
        ExportFormat::Manifest => kernel.manifest(&principal),
        ExportFormat::JsonSchema => schemas(&tools),
    };
    Outcome::of_json(&document)
}
