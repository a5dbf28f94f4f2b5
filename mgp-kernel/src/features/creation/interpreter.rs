//! The interpreter behind the configured program.
//!
//! `python3` is often a script that selects one of several versions by starting other programs. No confined process may do that. The
//! operator's program is therefore asked once, without any code of an agent, for the path of the interpreter itself.

use super::program::RunError;
use mgp_transport::child::ChildCommand;
use std::{io::ErrorKind, path::Path, time::Duration};

/// The time limit of the query.
const LIMIT: Duration = Duration::from_secs(20);

/// The maximum length of the answer, in bytes.
const MAX_PATH: usize = 4096;

/// Returns the path of the interpreter that a program runs.
///
/// # Errors
/// If the program does not run, is not Python 3, or does not answer.
pub(super) async fn interpreter(program: &str) -> Result<String, RunError> {
    const QUESTION: &str = "import sys; assert sys.version_info >= (3, 8); print(sys.executable)";
    let failed = |reason: String| {
        RunError::Start(format!("tool_creation.python: {program:?} {reason}: expected Python 3.8 or later"))
    };
    let command = ChildCommand::new("tool_creation", program).args(["-I", "-S", "-B", "-c", QUESTION]);
    match command.run(b"", MAX_PATH, LIMIT).await {
        Ok(run) if run.status.is_some_and(|status| status.success()) => {
            let path = String::from_utf8_lossy(&run.output).trim().to_owned();
            if Path::new(&path).is_absolute() {
                Ok(path)
            } else {
                Err(failed("names no interpreter".to_owned()))
            }
        }
        Ok(_) => Err(failed("does not run, or is older".to_owned())),
        Err(error) if error.kind() == ErrorKind::TimedOut => Err(failed("does not answer".to_owned())),
        Err(error) => Err(failed(format!("does not run ({error})"))),
    }
}
