//! Our own programs: built once, before the rows.

use std::path::PathBuf;
use xtask_install::{ProgramFeatures, build_programs, program_path};

/// The paths of our own programs.
#[derive(Debug, Clone)]
pub(crate) struct Programs {
    /// The kernel.
    pub(crate) mgp: PathBuf,
    /// The example server with one tool.
    pub(crate) add: PathBuf,
    /// The example server with questions and events.
    pub(crate) deploy: PathBuf,
    /// The example server with one item of each kind.
    pub(crate) everything: PathBuf,
    /// The example server with sources, session state and compensable calls.
    pub(crate) tickets: PathBuf,
    /// The server that MCP's conformance suite tests.
    pub(crate) conformance: PathBuf,
    /// This program, which taps others.
    pub(crate) myself: PathBuf,
}

/// Builds the programs in the development profile.
pub(crate) async fn build(features: ProgramFeatures) -> Result<Programs, String> {
    build_programs(features).await?;
    let myself = std::env::current_exe().map_err(|error| format!("failed to find this program: {error}"))?;
    Ok(Programs {
        mgp: program_path("mgp"),
        add: program_path("examples/add"),
        deploy: program_path("examples/deploy"),
        everything: program_path("examples/everything"),
        tickets: program_path("examples/tickets"),
        conformance: program_path("conformance-server"),
        myself,
    })
}
