//! A tool that accepts code, and checks it before it would run.

use mgp_server_sdk::{
    Error, Server, Tool, ToolError,
    code_safety::{CodeRules, CodeSafety, SafetyLevel},
    extract::Args,
    schemars::{self, JsonSchema},
};
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Program {
    /// The program, in Python.
    code: String,
}

async fn run(safety: CodeSafety, Args(Program { code }): Args<Program>) -> Result<String, ToolError> {
    safety.check("python", &code)?;
    Ok(format!("{} lines may run", code.lines().count()))
}

pub(crate) fn server() -> Server {
    let rules = CodeRules::new(SafetyLevel::Strict).allow_imports(["json", "math"]).max_bytes(10_000);
    Server::new("python", "1.0.0").code_safety(rules).tool(Tool::new("run", "Runs Python", run))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    server().serve_stdio().await
}
