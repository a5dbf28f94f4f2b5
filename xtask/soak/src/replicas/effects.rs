//! The file in which tools note that they ran. All tool servers of a run append to one file.

use std::{
    collections::BTreeMap,
    fs::{self, OpenOptions},
    io::{self, Write},
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// One run of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Effect {
    /// The time since the Unix epoch.
    pub(crate) at: Duration,
    /// The tool, without the name of its server.
    pub(crate) tool: String,
    /// The name that the host gave to the call.
    pub(crate) operation: String,
}

/// The effects of a run, by operation.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    operations: BTreeMap<String, Vec<Effect>>,
}

/// Returns the time since the Unix epoch, by the clock that all machines of a run share.
pub(crate) fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Appends one effect.
pub(crate) fn note(file: &Path, tool: &str, operation: &str) -> io::Result<()> {
    let line = format!("{} {tool} {operation}\n", now().as_nanos());
    // One write to a file that is opened for appending is not mixed with others.
    OpenOptions::new().create(true).append(true).open(file)?.write_all(line.as_bytes())
}

impl Effects {
    /// Reads the file.
    pub(crate) fn read(file: &Path) -> Result<Self, String> {
        let text =
            fs::read_to_string(file).map_err(|error| format!("failed to read the effects: {error}"))?;
        let mut effects = Self::default();
        for line in text.lines() {
            let effect = parse(line).ok_or_else(|| format!("an effect cannot be read: {line:?}"))?;
            effects.operations.entry(effect.operation.clone()).or_default().push(effect);
        }
        Ok(effects)
    }

    /// Returns the number of times that a tool ran for an operation.
    pub(crate) fn count(&self, tool: &str, operation: &str) -> usize {
        let all = self.operations.get(operation).into_iter().flatten();
        all.filter(|effect| effect.tool == tool).count()
    }

    /// Returns all effects.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Effect> {
        self.operations.values().flatten()
    }
}

fn parse(line: &str) -> Option<Effect> {
    let mut words = line.split(' ');
    let nanos = words.next()?.parse().ok()?;
    let (tool, operation) = (words.next()?.to_owned(), words.next()?.to_owned());
    words.next().is_none().then_some(Effect { at: Duration::from_nanos(nanos), tool, operation })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_of_a_tool_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("effects");
        for (tool, operation) in [("note", "a"), ("undo", "a"), ("note", "b"), ("note", "b")] {
            note(&file, tool, operation).unwrap();
        }
        let effects = Effects::read(&file).unwrap();
        assert_eq!(["a", "b", "c"].map(|operation| effects.count("note", operation)), [1, 2, 0]);
        assert_eq!((effects.count("undo", "a"), effects.all().count()), (1, 4));
        fs::write(&file, "1 note").unwrap();
        assert!(Effects::read(&file).is_err());
    }
}
