//! The values that the chart is rendered with, each in a file.

use std::{fs, path::Path, path::PathBuf};

/// The beginning of the first line of refused values.
const EXPECTED: &str = "# expected: ";

/// Values, and their expected outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// A part of the reason why the values are refused; `None` if they are accepted.
    pub(crate) refusal: Option<String>,
}

/// Reads all cases, ordered by name: first those that are accepted.
pub(crate) fn all(folder: &Path) -> Result<Vec<Case>, String> {
    let mut cases = read(&folder.join("cases"))?;
    for case in read(&folder.join("refused"))? {
        let text = fs::read_to_string(&case.path)
            .map_err(|error| format!("failed to read {}: {error}", case.path.display()))?;
        let refusal = expected(&text)
            .ok_or_else(|| format!("{}: the first line is not `{EXPECTED}REASON`", case.path.display()))?;
        cases.push(Case { refusal: Some(refusal.to_owned()), ..case });
    }
    Ok(cases)
}

/// Returns a part of the reason that a file of refused values expects.
fn expected(text: &str) -> Option<&str> {
    text.lines().next()?.strip_prefix(EXPECTED).map(str::trim).filter(|reason| !reason.is_empty())
}

fn read(folder: &Path) -> Result<Vec<Case>, String> {
    let failed = |error: std::io::Error| format!("failed to read {}: {error}", folder.display());
    let kind = folder.file_name().unwrap_or_default().to_string_lossy();
    let mut cases = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            let name = format!("{kind}/{}", path.file_stem().unwrap_or_default().to_string_lossy());
            cases.push(Case { name, path, refusal: None });
        }
    }
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    if cases.is_empty() { Err(format!("{} has no values", folder.display())) } else { Ok(cases) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_has_the_reason_of_a_refusal() {
        assert_eq!(expected("# expected: at '/x': minimum\nx: 0\n"), Some("at '/x': minimum"));
        assert_eq!(["x: 0\n", "# expected: \nx: 0\n", "x: 0\n# expected: y\n", ""].map(expected), [None; 4]);
    }
}
