//! `mgp tools spec`: prints the specification of one tool, in Markdown.

use crate::{error::CliError, exit::Exit, output::Outcome};
use mgp_kernel::{JudgedTool, Kernel};
use mgp_toolindex::describe::{ToolDescription, specification};
use serde::Serialize;

#[derive(Serialize)]
struct Specification {
    name: String,
    specification: String,
    /// The members of the tool's metadata that cannot be read, each with the reason.
    ignored: Vec<String>,
}

pub(super) fn spec(kernel: &Kernel, name: &str) -> Result<Outcome, CliError> {
    let Some(JudgedTool { named, .. }) = kernel.operator().judged_tool(name) else {
        let error = CliError::new(Exit::NotFound, format!("no connected server has a tool {name:?}"));
        return Err(
            error.help("see the tools with `mgp tools`, and whether all servers are up with `mgp servers`")
        );
    };
    let mut tool = ToolDescription::of(&named);
    tool.arguments_checked = Some(kernel.operator().checks_arguments());
    let text = specification(&tool);
    let ignored = tool.ignored.iter().map(ToString::to_string).collect();
    let json = Specification { name: tool.name, specification: text.clone(), ignored };
    Outcome::of_data(text, &json)
}
