//! Tools that are withheld because their definitions changed.

use crate::{command::tools::DefinitionRow, error::CliError};
use mgp_security::definition::Definitions;

/// Returns the tools that are withheld.
pub(super) async fn held(definitions: &Definitions) -> Result<Vec<DefinitionRow>, CliError> {
    let mut rows: Vec<_> = definitions.changed_rows().await?.iter().filter_map(DefinitionRow::of).collect();
    rows.retain(DefinitionRow::is_held);
    Ok(rows)
}
