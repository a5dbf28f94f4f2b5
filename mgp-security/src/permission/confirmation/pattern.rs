//! Patterns of arguments, so that one approval holds for many calls.

use crate::canonical;
use mgp_types::json::{RawJson, RawObject};
use std::{collections::BTreeMap, fmt};

/// The pattern of one argument that matches every value.
const ANY: &str = "*";
/// The longest text of a pattern, in bytes.
const MAX_LENGTH: usize = 4096;
/// The characters besides letters and digits that `*` stands for. All others are excluded, because with some of them a text that begins
/// like a command continues with another one, or means something else: separators, redirections, substitutions, quotes, comments, controls.
const PLAIN: &str = " _-./:,=@+~";

/// The calls of a tool that an approval holds for besides the approved call: some arguments match a pattern, and all others have the
/// approved values.
///
/// In the pattern of an argument that is a string, `*` stands for letters, digits, spaces and `_ - . / : , = @ + ~`. It matches no
/// character with which a shell begins another command: `git log *` matches `git log --oneline -5` and not `git log; make`. It does not
/// match a path through `..` either. The pattern `*` matches every value of its argument.
///
/// ```
/// # use mgp_security::permission::ArgumentsPattern;
/// # use mgp_types::json::RawJson;
/// let asked = RawJson::parse(r#"{"command":"git log -1","cwd":"/src"}"#)?;
/// let pattern = ArgumentsPattern::of_arguments(&asked, &["git log *"])?;
/// assert!(pattern.matches(&asked, &RawJson::parse(r#"{"cwd":"/src","command":"git log --stat"}"#)?));
/// assert!(!pattern.matches(&asked, &RawJson::parse(r#"{"cwd":"/src","command":"git log; make"}"#)?));
/// assert!(!pattern.matches(&asked, &RawJson::parse(r#"{"cwd":"/etc","command":"git log -1"}"#)?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentsPattern(Pattern);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Pattern {
    /// Every call of the tool.
    Every,
    /// The patterns of some arguments, by name.
    Some(BTreeMap<String, String>),
}

/// The error returned for a pattern that does not fit the call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// The pattern matches no argument of the call, or more than one.
    #[error("pattern {pattern:?} matches {found} arguments of the call: expected one, or NAME=PATTERN with one of: {}", names.join(", "))]
    Ambiguous {
        /// The pattern.
        pattern: String,
        /// The number of arguments that it matches.
        found: usize,
        /// The names of the call's arguments.
        names: Vec<String>,
    },
    /// The pattern does not match the approved call.
    #[error("pattern {pattern:?} does not match the argument {name:?} of the call: {found}")]
    NoMatch {
        /// The argument.
        name: String,
        /// The pattern.
        pattern: String,
        /// The argument's value, cut to a length that can be read.
        found: String,
    },
    /// The argument already has a pattern, or `*` covers all of them.
    #[error(
        "pattern {0:?} is one too many: expected one for each argument, or only `*` for every call of the tool"
    )]
    Repeated(String),
    /// The pattern is too long.
    #[error("a pattern has {0} bytes: expected at most {MAX_LENGTH}")]
    TooLong(usize),
    /// A stored pattern cannot be read.
    #[error("{0:?} is not a pattern of arguments")]
    Unreadable(String),
    /// The call's arguments cannot be read as named arguments.
    #[error(
        "the call's arguments are not an object with unique names: only these exact arguments can be approved"
    )]
    NoArguments,
}

impl ArgumentsPattern {
    /// Returns the pattern of a call whose arguments match each of `patterns`: `NAME=PATTERN` for an argument by its name, or a `PATTERN`
    /// for the only argument that it matches. A single `*` stands for every call of the tool.
    ///
    /// # Errors
    /// [`PatternError`] if a pattern does not match the call, or is ambiguous.
    pub fn of_arguments(asked: &RawJson, patterns: &[impl AsRef<str>]) -> Result<Self, PatternError> {
        if let Some(every) = patterns.iter().map(AsRef::as_ref).find(|pattern| *pattern == ANY) {
            return if patterns.len() == 1 {
                Ok(Self(Pattern::Every))
            } else {
                Err(PatternError::Repeated(every.to_owned()))
            };
        }
        let arguments = RawObject::from_json(asked).map_err(|_| PatternError::NoArguments)?;
        let mut named = BTreeMap::new();
        for text in patterns.iter().map(AsRef::as_ref) {
            if text.len() > MAX_LENGTH {
                return Err(PatternError::TooLong(text.len()));
            }
            let (name, pattern) = name_and_pattern(&arguments, text)?;
            if named.insert(name.to_owned(), pattern.to_owned()).is_some() {
                return Err(PatternError::Repeated(text.to_owned()));
            }
        }
        Ok(Self(Pattern::Some(named)))
    }

    /// Returns whether the approval holds for a call. `asked` are the arguments of the approved call.
    #[must_use]
    pub fn matches(&self, asked: &RawJson, arguments: &RawJson) -> bool {
        let Pattern::Some(patterns) = &self.0 else { return true };
        let (Ok(asked), Ok(arguments)) = (RawObject::from_json(asked), RawObject::from_json(arguments))
        else {
            return false;
        };
        asked.len() == arguments.len()
            && asked.iter().all(|(name, expected)| match (arguments.get(name), patterns.get(name)) {
                (Some(value), Some(pattern)) => matches(pattern, value),
                (Some(value), None) => canonical::digest(value) == canonical::digest(expected),
                (None, _) => false,
            })
    }

    /// Returns the pattern as JSON: `"*"`, or an object with a pattern for each argument that has one.
    #[must_use]
    pub fn to_json(&self) -> RawJson {
        match &self.0 {
            Pattern::Every => RawJson::string(ANY),
            Pattern::Some(patterns) => {
                let mut object = RawObject::new();
                for (name, pattern) in patterns {
                    object.insert_named(name, RawJson::string(pattern));
                }
                object.to_json()
            }
        }
    }

    /// Reads a pattern from JSON, as [`to_json`](Self::to_json) writes it.
    ///
    /// # Errors
    /// [`PatternError::Unreadable`] for any other JSON.
    pub fn from_json(json: &RawJson) -> Result<Self, PatternError> {
        if json.to_text().as_deref() == Some(ANY) {
            return Ok(Self(Pattern::Every));
        }
        let patterns: BTreeMap<String, String> =
            json.decode().map_err(|_| PatternError::Unreadable(json.as_str().chars().take(64).collect()))?;
        Ok(Self(Pattern::Some(patterns)))
    }
}

impl fmt::Display for ArgumentsPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Pattern::Some(patterns) = &self.0 else { return f.write_str("any arguments") };
        for (i, (name, pattern)) in patterns.iter().enumerate() {
            write!(f, "{}{name} like {pattern:?}", if i == 0 { "" } else { ", " })?;
        }
        f.write_str(", all other arguments as asked")
    }
}

/// Returns the argument that a pattern applies to, and the pattern without the argument's name.
fn name_and_pattern<'a>(arguments: &'a RawObject, text: &'a str) -> Result<(&'a str, &'a str), PatternError> {
    if let Some((name, pattern)) = text.split_once('=')
        && let Some(value) = arguments.get(name)
    {
        return match matches(pattern, value) {
            true => Ok((name, pattern)),
            false => Err(PatternError::NoMatch {
                name: name.to_owned(),
                pattern: pattern.to_owned(),
                found: value.as_str().chars().take(200).collect(),
            }),
        };
    }
    let mut found = arguments.iter().filter(|(_, value)| matches(text, value));
    match (found.next(), found.count()) {
        (Some((name, _)), 0) => Ok((name, text)),
        (first, more) => Err(PatternError::Ambiguous {
            pattern: text.to_owned(),
            found: first.map_or(0, |_| more + 1),
            names: arguments.iter().map(|(name, _)| name.to_owned()).collect(),
        }),
    }
}

/// Returns whether an argument's value matches a pattern.
fn matches(pattern: &str, value: &RawJson) -> bool {
    pattern == ANY || value.to_text().is_some_and(|text| matches_text(pattern, &text))
}

/// Returns whether a text matches a pattern. Each part between two `*` is matched at its first occurrence: a later one would only add
/// to the text of the `*` before it. So the time is proportional to the lengths of both for each part.
fn matches_text(pattern: &str, text: &str) -> bool {
    let stands_for = |gap: &str| gap.chars().all(|c| c.is_alphanumeric() || PLAIN.contains(c));
    let climbs = |text: &str| text.split(|c: char| "/\\ :,=".contains(c)).any(|part| part == "..");
    if climbs(text) && !climbs(pattern) {
        return false;
    }
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some((gap, after)) = rest.split_once(part) else { return false };
        if !stands_for(gap) {
            return false;
        }
        rest = after;
    }
    rest.strip_suffix(last).is_some_and(stands_for)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &'static str) -> RawJson {
        RawJson::parse(text).unwrap()
    }

    #[test]
    fn a_star_matches_any_text_but_no_second_command() {
        for (pattern, text) in [
            ("git log *", "git log --oneline -5"),
            ("git log *", "git log "),
            ("git * --stat", "git show HEAD~1 --stat"),
            ("*.rs", "src/lib.rs"),
            ("a*b*c", "a-b-b-c"),
            ("a*a", "aa"),
            ("git log; ls *", "git log; ls -l"),
            ("git log *", "git log HEAD~3..main -- src/ä.rs"),
            ("cat ../*", "cat ../a"),
            ("exact", "exact"),
        ] {
            assert!(matches_text(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("git log *", "git log"),
            ("git log *", "git push"),
            ("git log*", "git log; rm x"),
            ("git log *", "git log -1 && make"),
            ("git log *", "git log -1 | sh"),
            ("git log *", "git log > f"),
            ("git log *", "git log $(make)"),
            ("git log *", "git log `make`"),
            ("git log *", "git log \"${x}\""),
            ("git log *", "git log -1\nmake"),
            ("git log *", "git log -1\r\nmake"),
            ("git log *", "git log -1 \\"),
            ("git log *", "git log {a,b}"),
            ("git push * --dry-run", "git push origin # --dry-run"),
            ("git log * --grep \"a; b\" *", "git log \" --grep \"a; b\" \""),
            ("git log *", "git log \u{201c}x\u{201d}"),
            ("cd *", "cd %X%"),
            ("cd *", "cd ^x"),
            ("cd *", "cd x!"),
            ("cd *", "cd x\u{f}"),
            ("cd *", "cd x\t"),
            ("cat /src/*", "cat /src/../etc/passwd"),
            ("cat *.rs", "cat ../x.rs"),
            ("cp * /to", "cp --from=.. /to"),
            ("git * --stat", "git log; make --stat"),
            ("a*b*c", "a-c-b"),
            ("a*a", "a"),
            ("exact", "exactly"),
        ] {
            assert!(!matches_text(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn all_other_arguments_are_those_of_the_question() {
        let asked = json(r#"{"command":"git log -1","cwd":"/src","env":{"A":1,"B":2},"n":3}"#);
        let pattern = ArgumentsPattern::of_arguments(&asked, &["git log *", "n=*"]).unwrap();
        let same = r#"{"env":{"B":2,"A":1},"n":[4],"command":"git log","cwd":"/src"}"#;
        assert!(
            pattern.matches(
                &asked,
                &json(r#"{"env":{"B":2,"A":1},"n":[4],"command":"git log x","cwd":"/src"}"#)
            )
        );
        for other in [
            same,
            r#"{"env":{"B":2,"A":2},"n":3,"command":"git log x","cwd":"/src"}"#,
            r#"{"env":{"B":2,"A":1},"n":3,"command":"git log x","cwd":"/"}"#,
            r#"{"env":{"B":2,"A":1},"n":3,"command":"git log x"}"#,
            r#"{"env":{"B":2,"A":1},"n":3,"command":"git log x","cwd":"/src","more":1}"#,
            r#"{"env":{"B":2,"A":1},"n":3,"command":["git log x"],"cwd":"/src"}"#,
            r#"{"env":{"B":2,"A":1},"n":3,"command":"git log x","command":"rm","cwd":"/src"}"#,
            "[]",
        ] {
            assert!(!pattern.matches(&asked, &json(other)), "{other}");
        }
        assert_eq!(pattern.to_json().as_str(), r#"{"command":"git log *","n":"*"}"#);
        let shown = r#"command like "git log *", n like "*", all other arguments as asked"#;
        assert_eq!(pattern.to_string(), shown);
        assert_eq!(ArgumentsPattern::from_json(&pattern.to_json()), Ok(pattern));
    }

    #[test]
    fn every_call_is_a_pattern_too() {
        let asked = json(r#"{"a":1}"#);
        let every = ArgumentsPattern::of_arguments(&asked, &["*"]).unwrap();
        assert!(every.matches(&asked, &json(r#"{"b":[]}"#)));
        assert_eq!(every.to_string(), "any arguments");
        assert_eq!(ArgumentsPattern::from_json(&every.to_json()), Ok(every));
    }

    #[test]
    fn a_pattern_that_does_not_fit_the_call_is_refused() {
        let asked = json(r#"{"command":"git log -1","again":"git log -1","n":3}"#);
        let error =
            |pattern: &str| ArgumentsPattern::of_arguments(&asked, &[pattern]).unwrap_err().to_string();
        assert_eq!(
            error("git log *"),
            r#"pattern "git log *" matches 2 arguments of the call: expected one, or NAME=PATTERN with one of: command, again, n"#
        );
        assert_eq!(
            error("git push *"),
            r#"pattern "git push *" matches 0 arguments of the call: expected one, or NAME=PATTERN with one of: command, again, n"#
        );
        assert_eq!(
            error("command=git push *"),
            r#"pattern "git push *" does not match the argument "command" of the call: "git log -1""#
        );
        assert!(error(&"x".repeat(MAX_LENGTH)).ends_with("with one of: command, again, n"));
        assert_eq!(error(&"x".repeat(MAX_LENGTH + 1)), "a pattern has 4097 bytes: expected at most 4096");
        let repeated = |patterns: &[&str]| ArgumentsPattern::of_arguments(&asked, patterns).unwrap_err();
        assert_eq!(
            repeated(&["n=*", "n=3*"]),
            PatternError::NoMatch { name: "n".into(), pattern: "3*".into(), found: "3".into() }
        );
        assert_eq!(repeated(&["n=*", "n=*"]), PatternError::Repeated("n=*".into()));
        assert_eq!(repeated(&["n=*", "*"]), PatternError::Repeated("*".into()));
        for text in ["7", "\"x\"", r#"{"a":1}"#] {
            assert!(ArgumentsPattern::from_json(&json(text)).is_err(), "{text}");
        }
        let twice = ArgumentsPattern::of_arguments(&json(r#"{"a":1,"a":2}"#), &["a=*"]);
        assert_eq!(twice, Err(PatternError::NoArguments));
    }
}
