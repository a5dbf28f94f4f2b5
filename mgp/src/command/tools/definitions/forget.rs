//! `mgp tools forget`.

use crate::{error::CliError, exit::Exit, operator::operator, output::Outcome, setup::Setup};
use clap::Args;
use mgp_discovery::listing::ListingStore as _;
use serde::Serialize;

#[derive(Debug, Args)]
pub(in crate::command::tools) struct ForgetArgs {
    /// The id of the server
    server: String,
    /// The tools, by the server's own names; without any, all tools of the server
    tools: Vec<String>,
}

#[derive(Serialize)]
struct Report {
    forgotten: usize,
}

pub(super) async fn forget(setup: &Setup, args: ForgetArgs) -> Result<Outcome, CliError> {
    let log = setup.audit()?;
    let definitions = setup.definitions(&log).await?;
    let mut forgotten = 0;
    if args.tools.is_empty() {
        forgotten = definitions.forget(&args.server, None, &operator()).await?;
    }
    for tool in &args.tools {
        forgotten += definitions.forget(&args.server, Some(tool), &operator()).await?;
    }
    // Otherwise the server's last list would be pinned instead of its next one.
    setup.state.listings()?.remove(&args.server).await?;
    log.flush().await.map_err(CliError::failed)?;
    if forgotten == 0 {
        let problem = format!("no such definition of a server {:?} is pinned", args.server);
        return Err(CliError::new(Exit::NotFound, problem).help("see `mgp tools list`"));
    }
    let s = if forgotten == 1 { "" } else { "s" };
    let text = format!("{forgotten} definition{s} forgotten: what the server lists next is pinned anew");
    Outcome::new(text, &Report { forgotten })
}
