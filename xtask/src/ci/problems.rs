//! The problems that a program of this workspace reports in its rows.

/// The maximum number of lines of a step.
const MAX_LINES: usize = 12;
/// The maximum number of characters of a line.
const MAX_CHARS: usize = 300;

/// Returns the rows that failed, each with the line of its reason, and those that report something wrong.
pub(super) fn problems(output: &str) -> Vec<String> {
    let mut lines = output.lines().peekable();
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        if line.ends_with(" FAILED") {
            found.push(line);
            found.extend(lines.next_if(|reason| reason.starts_with(' ')));
        } else if line.starts_with("WRONG: ") {
            found.push(line);
        }
    }
    found.into_iter().take(MAX_LINES).map(|line| line.chars().take(MAX_CHARS).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_rows_are_listed_with_their_reasons() {
        let output = "a page opens      passed\n\
            a button works    FAILED\n  Error: it did not\n    at main.mjs:7\n\
            WRONG: 1 call was answered twice\n1 passed, 1 failed, 0 skipped\n";
        assert_eq!(
            problems(output),
            ["a button works    FAILED", "  Error: it did not", "WRONG: 1 call was answered twice"]
        );
        let long = format!("WRONG: {}\n", "x".repeat(1000)).repeat(50);
        let listed = problems(&long);
        assert_eq!((listed.len(), listed[0].len()), (MAX_LINES, MAX_CHARS));
    }
}
