//! The packages of a release, and the check that each installs and works: the program behind `cargo xtask dist`.
//!
//! | module | contents |
//! |---|---|
//! | `release` | the name, the version and the platform of a release |
//! | `platform` | the platforms, and their names in each registry |
//! | `program` | the program: its build, and the C library that it needs |
//! | `stage` | the files that packages are made of |
//! | `notices` | the licences of dependencies, and the list of them (SBOM) |
//! | `pack` | archives and checksums |
//! | `packages` | one file per kind of package |
//! | `check` | installs each package, connects hosts and makes a first call |

mod arguments;
#[cfg(unix)]
mod check;
mod notices;
mod pack;
mod packages;
mod platform;
mod process;
mod program;
mod release;
mod run;
mod stage;

use std::process::ExitCode;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments::Arguments::parse(&arguments) {
        Ok(Some(arguments)) => run::run(&arguments).await,
        Ok(None) => {
            println!("{}", arguments::USAGE);
            Ok(())
        }
        Err(error) => Err(error),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
