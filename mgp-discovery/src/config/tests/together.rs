//! Several mistakes of one file, and values with variables that are not read.

use crate::config::Config;
use std::path::Path;

/// Returns the problems of a text with their lines, and the sentence about the file.
fn problems(text: &str) -> (Vec<String>, String) {
    let error = Config::parse(Path::new("x"), text.as_bytes(), &|_| None).expect_err("a mistake");
    let lines = error.problems().iter().map(|problem| format!("{}: {problem}", problem.line()));
    (lines.collect(), error.summary())
}

#[test]
fn a_variable_in_a_value_that_holds_none_is_refused() {
    let text = "[kernel]\nagent = \"${AGENT}\"\n\n[http]\nlisten = \"127.0.0.1:${PORT:-80}\"\n";
    let expected = [
        "2: kernel.agent: holds a variable in \"${AGENT}\": no variable is read here",
        "5: http.listen: holds a variable in \"127.0.0.1:${PORT:-80}\": no variable is read here",
    ];
    assert_eq!(problems(text).0, expected);
    let error = Config::parse(Path::new("x"), text.as_bytes(), &|_| None).unwrap_err();
    let advice = error.problems()[0].advice().unwrap();
    assert!(advice.contains("variables are read in kernel.state_dir, "), "{advice}");
    // Only the variable is shown of a value that may be a secret.
    let secret = "[[http.api_keys]]\nid = \"a\"\nagent = \"a\"\nhash = \"s3cret${X}\"\n";
    assert!(problems(secret).0.iter().all(|problem| !problem.contains("s3cret")), "{:?}", problems(secret));
    let literal = "[kernel]\ninstructions = \"say ${HOME}\"\nagent = \"$${a}\"\n";
    Config::parse(Path::new("x"), literal.as_bytes(), &|_| None).unwrap();
}

#[test]
fn all_mistakes_of_types_and_names_are_reported_together() {
    let text = "[kernel]\nagent = 7\nlazy = \"x\"\ncolour = 1\n[[servers]]\nid = 7\n[[servers]]\ncommand = \"x\"\n\
                [[servers]]\nid = \"a\"\nargs = [7, \"x\", 8]\ncwd = \"${X\"\n";
    let (problems, sentence) = problems(text);
    let paths: Vec<_> =
        problems.iter().filter_map(|problem| problem.rsplit_once(": ")?.0.split(": ").nth(1)).collect();
    assert_eq!(
        paths,
        [
            "kernel.agent",
            "kernel.lazy",
            "kernel.colour",
            "servers[0].id",
            "servers[1]",
            "servers[2].args[0]",
            "servers[2].args[2]",
        ]
    );
    assert_eq!(sentence, "x has 7 problems, and the rest is checked after that");
}

#[test]
fn the_sentence_about_a_checked_file_promises_no_further_check() {
    let (problems, sentence) = problems("[[servers]]\nid = \"a\"\ncommand = \"x\"\nurl = \"http://x\"\n");
    assert_eq!((problems.len(), &*sentence), (1, "x has one problem"), "{problems:?}");
}
