//! One run of the suite.

use super::{Side, Suite};
use crate::revision::Revision;
use std::{
    fs::File,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};
use tokio::process::Child;

/// The program under test.
#[derive(Debug, Clone)]
pub(crate) enum Subject {
    /// A server at an address.
    Url(String),
    /// The program of a client. The suite splits its arguments at blanks, so the client is started in the program's folder.
    Program(PathBuf),
}

impl Subject {
    pub(crate) fn side(&self) -> Side {
        match self {
            Self::Url(_) => Side::Server,
            Self::Program(_) => Side::Client,
        }
    }
}

/// The scenarios of one run of the suite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Invocation {
    /// All scenarios of a revision's set, including those that do not count.
    Requirements(Revision),
    /// One scenario. Without a revision, it runs at the suite's default.
    Scenario { name: String, revision: Option<Revision> },
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SuiteEnd {
    /// A description, for a scenario that has no result.
    pub(crate) how: String,
}

/// The time limit of one scenario with a server. The suite runs such scenarios in sequence.
const SERVER_SCENARIO: Duration = Duration::from_secs(60);
/// The time limit of one scenario with a client. The suite runs such scenarios concurrently.
const CLIENT_SCENARIO: Duration = Duration::from_secs(60);
/// The time limit of the suite itself, without its scenarios.
const OVERHEAD: Duration = Duration::from_secs(60);

impl Invocation {
    /// Returns the suite's arguments.
    fn arguments(&self, subject: &Subject, output: &Path) -> Vec<String> {
        let scenario_limit = match subject.side() {
            Side::Server => SERVER_SCENARIO,
            Side::Client => CLIENT_SCENARIO,
        };
        let mut words = vec![subject.side().as_str().to_owned()];
        match subject {
            Subject::Url(url) => words.extend(["--url".to_owned(), url.clone()]),
            Subject::Program(path) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let prefix = if cfg!(windows) { "" } else { "./" };
                words.extend(["--command".to_owned(), format!("{prefix}{name}")]);
            }
        }
        match self {
            Self::Requirements(revision) => {
                words.extend(["--requirements", revision.as_str()].map(str::to_owned));
            }
            Self::Scenario { name, revision } => {
                words.extend(["--scenario".to_owned(), name.clone()]);
                if let Some(revision) = revision {
                    words.extend(["--spec-version", revision.as_str(), "--force"].map(str::to_owned));
                }
            }
        }
        words.extend(["--timeout".to_owned(), scenario_limit.as_millis().to_string()]);
        words.extend(["--output-dir".to_owned(), output.to_string_lossy().into_owned()]);
        words
    }

    /// Returns the time limit of a run with this many scenarios.
    fn timeout(&self, side: Side, scenarios: usize) -> Duration {
        let one_by_one = u32::try_from(scenarios).unwrap_or(u32::MAX);
        OVERHEAD
            + match side {
                Side::Server => SERVER_SCENARIO.saturating_mul(one_by_one),
                Side::Client => CLIENT_SCENARIO,
            }
    }

    /// Runs the suite to its end, or until its time limit. Its output goes to a file.
    pub(crate) async fn run(
        &self,
        suite: &Suite,
        subject: &Subject,
        scenarios: usize,
        output: &Path,
        log: &Path,
    ) -> Result<SuiteEnd, String> {
        let failed = |error| format!("failed to write {}: {error}", log.display());
        let file = File::create(log).map_err(failed)?;
        let mut command = suite.command();
        command.args(self.arguments(subject, output));
        command.stdout(Stdio::from(file.try_clone().map_err(failed)?)).stderr(Stdio::from(file));
        if let Subject::Program(path) = subject {
            command.current_dir(path.parent().unwrap_or(Path::new(".")));
        }
        let child = command.spawn().map_err(|error| format!("failed to run the suite: {error}"))?;
        until_end(child, self.timeout(subject.side(), scenarios)).await
    }
}

/// Waits for the suite's end, and kills the suite if it hangs.
async fn until_end(mut child: Child, limit: Duration) -> Result<SuiteEnd, String> {
    let how = match tokio::time::timeout(limit, child.wait()).await {
        Ok(Ok(status)) => format!("the suite ended with {status}"),
        Ok(Err(error)) => return Err(format!("failed to wait for the suite: {error}")),
        Err(_) => {
            child.kill().await.map_err(|error| format!("failed to kill the suite: {error}"))?;
            format!("the suite did not end within {limit:?}")
        }
    };
    Ok(SuiteEnd { how })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_named_by_its_address_and_a_client_by_its_program() {
        let url = Subject::Url("http://127.0.0.1:1/mcp".to_owned());
        let arguments = Invocation::Requirements(Revision::V2025_11_25).arguments(&url, Path::new("out"));
        let expected =
            "server --url http://127.0.0.1:1/mcp --requirements 2025-11-25 --timeout 60000 --output-dir out";
        assert_eq!(arguments.join(" "), expected);

        let program = Subject::Program(PathBuf::from("a folder/conformance-client"));
        let one = |revision| Invocation::Scenario { name: "initialize".to_owned(), revision };
        let arguments = one(Some(Revision::V2026_07_28)).arguments(&program, Path::new("out")).join(" ");
        assert!(
            arguments.contains("conformance-client --scenario initialize --spec-version 2026-07-28 --force")
        );
        assert!(!arguments.contains("a folder"), "{arguments}");
        assert!(!one(None).arguments(&program, Path::new("out")).join(" ").contains("--spec-version"));
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_hanging_suite_is_killed_and_another_reports_its_end() {
        let run = |script| tokio::process::Command::new("sh").args(["-c", script]).spawn().unwrap();
        let ended = until_end(run("exec sleep 600"), Duration::ZERO).await.unwrap();
        assert_eq!(ended.how, "the suite did not end within 0ns");
        let ended = until_end(run("exit 1"), Duration::from_secs(60)).await.unwrap();
        assert_eq!(ended.how, "the suite ended with exit status: 1");
    }

    #[test]
    fn servers_get_time_for_each_scenario_and_clients_for_one() {
        let run = Invocation::Requirements(Revision::V2025_11_25);
        assert_eq!(run.timeout(Side::Server, 10), OVERHEAD + SERVER_SCENARIO * 10);
        assert_eq!(run.timeout(Side::Client, 10), OVERHEAD + CLIENT_SCENARIO);
    }
}
