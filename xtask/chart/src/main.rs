//! The check of the Helm chart: the program behind `cargo xtask chart`.
//!
//! | module | contents |
//! |---|---|
//! | `case` | the values that the chart is rendered with |
//! | `renderer` | Helm, and the schemas of Kubernetes: Python packages |
//! | `objects` | the rendered manifests of a case |
//! | `rules` | the rules on manifests, on several cases, and on the files of the chart |
//! | `run` | runs the check, and prints a row for each case and rule |

mod case;
mod objects;
mod renderer;
mod rules;
mod run;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask chart

Renders deploy/helm/mgp with the values in xtask/chart/cases and xtask/chart/refused, by Helm as a Python package and without a cluster:
  - each manifest is valid in the oldest and the newest version of Kubernetes that are supported
  - the gateway accepts its configuration, and the addresses, ports, probes, labels and policies of all manifests fit together
  - values in xtask/chart/refused are refused, for the reason in their first line

Needs `python3` with `venv`, and the network the first time. With CI=true in the environment, missing packages are a failure.";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.first().map(String::as_str) {
        None => run::run().await,
        Some("--help" | "-h") => {
            println!("{USAGE}");
            Ok(())
        }
        Some(other) => Err(format!("unknown argument `{other}`\n\n{USAGE}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
