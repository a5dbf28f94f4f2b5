//! The examples of a page: commands at a prompt, each with the answer below it.

/// A command of a page, and the answer that the page shows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Example {
    /// The command's line, from 1.
    pub(super) line: usize,
    pub(super) command: String,
    /// The lines below the command, up to the next command or the end of the block.
    pub(super) answer: String,
}

/// Returns the examples of a page that call a program, from its blocks of the type `console`.
pub(super) fn examples(page: &str, program: &str) -> Vec<Example> {
    let (mut found, mut inside, mut current) = (Vec::new(), false, None::<Example>);
    for (at, line) in page.lines().enumerate() {
        if line.starts_with("```") {
            inside = line == "```console";
            found.extend(current.take());
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            found.extend(current.take());
            current = Some(Example { line: at + 1, command: command.to_owned(), answer: String::new() });
        } else if let Some(example) = &mut current {
            example.answer.push_str(line);
            example.answer.push('\n');
        }
    }
    found.retain(|example| example.command.split(' ').next() == Some(program));
    found
}

/// Returns the first line of a page that calls a program outside of the examples, and so would not be run.
pub(super) fn stray<'a>(page: &'a str, program: &str) -> Option<&'a str> {
    let examples: Vec<_> = examples(page, program).into_iter().map(|example| example.line).collect();
    let calls = |line: &str| {
        line.trim_start_matches([' ', '$']).strip_prefix(program).is_some_and(|rest| rest.starts_with(' '))
    };
    page.lines()
        .enumerate()
        .find(|(at, line)| calls(line) && !examples.contains(&(at + 1)))
        .map(|(_, line)| line)
}

/// Returns whether an answer matches the shown one, in which `…` stands for any text.
pub(super) fn fits(shown: &str, answer: &str) -> bool {
    let (shown, mut rest) = (shown.trim_end(), answer.trim_end());
    let mut parts = shown.split('…').peekable();
    let mut is_first = true;
    while let Some(part) = parts.next() {
        let at = match (is_first, parts.peek().is_none()) {
            (true, true) => return rest == part,
            (true, false) => rest.starts_with(part).then_some(0),
            (false, true) => return rest.ends_with(part),
            (false, false) => rest.find(part),
        };
        let Some(at) = at else { return false };
        rest = &rest[at + part.len()..];
        is_first = false;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "text\n```console\n$ curl -s a\none\ntwo\n$ ls\n.\n$ curl b\n```\n```toml\n$ curl c\n```\n    curl d\ncurled e\n";

    #[test]
    fn an_example_has_the_lines_below_it_up_to_the_next_one() {
        let found = examples(PAGE, "curl");
        let shown: Vec<_> =
            found.iter().map(|one| (one.line, one.command.as_str(), one.answer.as_str())).collect();
        assert_eq!(shown, [(3, "curl -s a", "one\ntwo\n"), (8, "curl b", "")]);
    }

    #[test]
    fn a_command_outside_an_example_is_found() {
        assert_eq!(stray(PAGE, "curl"), Some("$ curl c"));
        assert_eq!(stray("```console\n$ curl a\n```\n    curl d\n", "curl"), Some("    curl d"));
        assert_eq!(stray("curled e\n`curl`\n", "curl"), None);
    }

    #[test]
    fn an_answer_fits_if_everything_but_the_dots_matches() {
        for (shown, answer, expected) in [
            ("a\n", "a", true),
            ("a", "b", false),
            ("a", "ab", false),
            ("a…", "abc", true),
            ("a…c", "abc", true),
            ("a…c", "ac", true),
            ("a…c", "abd", false),
            ("a…b…c", "a-b-c", true),
            ("a…b…c", "a-c", false),
            ("a…a", "a", false),
            ("…c", "abc", true),
        ] {
            assert_eq!(fits(shown, answer), expected, "{shown} {answer}");
        }
    }
}
