//! Patterns for the names of servers and tools.

/// A name of a server or a tool in a rule. `*` stands for any text, including none; every other character stands for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NamePattern {
    /// One name.
    Exact(Box<str>),
    /// All names that begin and end alike and contain some texts in between, in this order.
    Pattern { start: Box<str>, between: Vec<Box<str>>, end: Box<str> },
}

/// The precision of a name in a rule: how much of the name it fixes. The greater one takes precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Precision {
    /// A pattern with this many bytes besides its `*`.
    Pattern(usize),
    /// One name.
    Exact,
}

impl NamePattern {
    pub(crate) fn new(text: &str) -> Self {
        let Some((start, rest)) = text.split_once('*') else { return Self::Exact(text.into()) };
        let (between, end) = rest.rsplit_once('*').unwrap_or(("", rest));
        let between = between.split('*').filter(|text| !text.is_empty()).map(Box::from).collect();
        Self::Pattern { start: start.into(), between, end: end.into() }
    }

    pub(crate) fn matches<'n>(&self, name: &'n str) -> bool {
        match self {
            Self::Exact(own) => **own == *name,
            Self::Pattern { start, between, end } => {
                let rest = name.strip_prefix(&**start).and_then(|rest| rest.strip_suffix(&**end));
                // The first position of each text leaves the most room for the next.
                let after = |rest: &'n str, text: &str| rest.split_once(text).map(|(_, rest)| rest);
                rest.is_some_and(|rest| {
                    between.iter().try_fold(rest, |rest, text| after(rest, text)).is_some()
                })
            }
        }
    }

    pub(crate) fn precision(&self) -> Precision {
        match self {
            Self::Exact(_) => Precision::Exact,
            Self::Pattern { start, between, end } => {
                let between: usize = between.iter().map(|text| text.len()).sum();
                Precision::Pattern(start.len() + between + end.len())
            }
        }
    }

    #[cfg(feature = "access")]
    pub(crate) fn is_exact(&self) -> bool {
        matches!(self, Self::Exact(_))
    }

    /// Returns a name that the pattern matches, but no more precise pattern: NUL, which no pattern contains, replaces each `*`.
    #[cfg(any(test, feature = "access"))]
    pub(crate) fn example(&self) -> String {
        match self {
            Self::Exact(name) => name.to_string(),
            Self::Pattern { start, between, end } => {
                let between: String = between.iter().map(|text| format!("{text}\0")).collect();
                format!("{start}\0{between}{end}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_star_matches_any_text() {
        for (pattern, yes, no) in [
            ("read", &["read"][..], &["Read", "reads", "", "read\0"][..]),
            ("*", &["", "a", "a*b", "a\nb"], &[]),
            ("**", &["", "a"], &[]),
            ("read_*", &["read_", "read_file", "read_*"], &["read", "xread_", "Read_a"]),
            ("*_file", &["_file", "a_file", "a_file_file"], &["a_files", "file"]),
            ("a*a", &["aa", "aba", "aaa"], &["a", "", "ab"]),
            ("a*b*c", &["abc", "axbxc", "abbc", "a.b.c.c"], &["acb", "ac", "abcd", "xabc"]),
            ("*a*b*", &["ab", "xaxbx", "aab"], &["ba", "a", "b"]),
            ("*ab*ab*", &["abab", "ab-ab"], &["aba", "ab"]),
            ("a?[b].c*", &["a?[b].c"], &["ab.c", "a?b.c", "a?[b]xc"]),
            ("é*é", &["éé", "éaé"], &["é"]),
        ] {
            let compiled = NamePattern::new(pattern);
            assert!(yes.iter().all(|name| compiled.matches(name)), "{pattern} should match all of {yes:?}");
            assert!(!no.iter().any(|name| compiled.matches(name)), "{pattern} should match none of {no:?}");
            assert!(compiled.matches(&compiled.example()), "{pattern}");
        }
    }

    #[test]
    fn names_are_more_precise_than_patterns_and_longer_ones_win() {
        let precision = |text| NamePattern::new(text).precision();
        let rising = ["*", "a*", "*ab", "a*b*c", "abcd*", "a"];
        assert!(rising.is_sorted_by_key(|text| precision(text)));
        assert_eq!(precision("a*b"), precision("**ab*"));
        assert!(precision("abcdefgh*") < precision("a"));
    }
}
