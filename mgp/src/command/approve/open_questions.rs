//! The number of open questions for the operator, for other commands.

use super::{definitions::held, queue::Queue};
use crate::{error::CliError, setup::Setup};
use serde::Serialize;

/// The number of open questions for the operator.
#[derive(Debug, Serialize)]
pub(crate) struct OpenQuestions {
    permissions: usize,
    calls: usize,
    servers: usize,
    definitions: usize,
}

impl OpenQuestions {
    /// Counts the questions in the state folder. All kernels share them.
    pub(crate) async fn count(setup: &Setup) -> Result<Self, CliError> {
        let log = setup.audit()?;
        let queue = Queue::open(setup, &log).await?;
        let mut permissions = queue.permissions.pending().await?.len();
        if queue.permissions.config_only("SERVER").is_some() {
            // No command can decide these questions.
            permissions = 0;
        }
        let requests = queue.registrar.requests().await?;
        Ok(Self {
            permissions,
            calls: queue.confirmations.pending().await?.len(),
            servers: requests.iter().filter(|row| row.denied_by.is_none()).count(),
            definitions: held(&queue.definitions).await?.len(),
        })
    }

    /// Returns a sentence with the command that decides, or `None` if no question is open.
    pub(crate) fn sentence(&self) -> Option<String> {
        let counts = [
            (self.permissions, "permission"),
            (self.calls, "call"),
            (self.servers, "new server"),
            (self.definitions, "changed tool"),
        ];
        let named: Vec<_> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, name)| format!("{count} {name}{}", if *count == 1 { "" } else { "s" }))
            .collect();
        (!named.is_empty())
            .then(|| format!("waiting for a decision: {}; decide with `mgp approve`", named.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pending_questions_are_counted_by_kind() {
        let none = OpenQuestions { permissions: 0, calls: 0, servers: 0, definitions: 0 };
        assert_eq!(none.sentence(), None);
        let some = OpenQuestions { calls: 1, definitions: 2, ..none };
        assert_eq!(
            some.sentence().unwrap(),
            "waiting for a decision: 1 call, 2 changed tools; decide with `mgp approve`"
        );
    }
}
