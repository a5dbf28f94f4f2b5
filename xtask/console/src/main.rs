//! The tests of the console in a browser: the program behind `cargo xtask console`.
//!
//! | module | contents |
//! |---|---|
//! | `browser` | Chromium and the packages of npm that drive it |
//! | `gateway` | a gateway with servers, and the folder that it lives in |
//! | `hostile` | a server whose texts try to become part of the console |
//! | `run` | runs the tests, and counts them |

mod browser;
mod gateway;
mod hostile;
mod run;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask console [--screens]

Opens the console of a gateway in headless Chromium, and tries its pages and buttons. The state is checked by commands:
  - each page in light, dark and phone width: no violation that axe-core finds, nothing that the content security policy refuses
  - every action by its button or form: decisions, rights, servers, calls, keys, programs, the trail and the configuration
  - decisions by keyboard
  - texts of a hostile server, requests of other sites, tokens that are used twice, and operators with fewer rights

  --screens  also renew the pictures in docs/console

Needs Chromium, Node and `npm`, and the network the first time. With CI=true in the environment, a missing program is a failure.";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words[..] {
        [] => run::run(false).await,
        ["--screens"] => run::run(true).await,
        ["--hostile-server"] => hostile::serve(),
        ["--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        _ => Err(format!("unknown arguments {arguments:?}\n\n{USAGE}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
