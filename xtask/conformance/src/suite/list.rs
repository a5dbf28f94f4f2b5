//! The list of all scenarios, from the suite's command `list`.

/// The side of a connection that a scenario tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Side {
    Server,
    Client,
}

impl Side {
    /// Returns the suite's word for the side.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Client => "client",
        }
    }

    pub(super) fn of_word(word: &str) -> Option<Self> {
        [Self::Server, Self::Client].into_iter().find(|side| side.as_str() == word)
    }

    /// Reads a line such as "Server scenarios (test against a server):".
    pub(super) fn of_heading(line: &str) -> Option<Self> {
        match line.split_once(" scenarios (")?.0 {
            "Server" => Some(Self::Server),
            "Client" => Some(Self::Client),
            _ => None,
        }
    }
}

/// A scenario of the suite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListedScenario {
    pub(crate) side: Side,
    pub(crate) name: String,
    /// The revisions that the scenario applies to; only the word `extension` if it belongs to no revision.
    pub(crate) tags: Vec<String>,
}

/// Reads the list. Scenarios for authorization servers are left out: we have none.
pub(crate) fn parse_list(text: &str) -> Result<Vec<ListedScenario>, String> {
    let mut side = None;
    let mut listed = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if !line.starts_with(' ') {
            side = Side::of_heading(line);
        } else if let (Some(side), Some((name, tags))) = (side, entry(line)) {
            let tags = tags.split(',').filter(|tag| !tag.is_empty()).map(str::to_owned).collect();
            listed.push(ListedScenario { side, name: name.to_owned(), tags });
        }
    }
    match [Side::Server, Side::Client].iter().find(|side| listed.iter().all(|other| other.side != **side)) {
        Some(side) => Err(format!("the suite lists no {} scenarios", side.as_str())),
        None => Ok(listed),
    }
}

/// Reads a line such as "  - ping [2025-06-18,2025-11-25]": the name, and the text in brackets.
pub(super) fn entry(line: &str) -> Option<(&str, &str)> {
    let entry = line.trim().strip_prefix("- ")?;
    let (name, tags) = entry.split_once(" [").unwrap_or((entry, ""));
    Some((name.trim(), tags.trim_end_matches(']')))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "\
Server scenarios (test against a server):
  - ping [2025-06-18,2025-11-25]
  - tasks-lifecycle [extension]

Client scenarios (test against a client):
  - auth/basic-cimd [2025-11-25,2026-07-28]

Authorization server scenarios (test against an authorization server):
  - authorization-code-grant [2025-03-26]
";

    #[test]
    fn each_scenario_has_its_side_and_its_revisions() {
        let listed = |side, name: &str, tags: &[&str]| ListedScenario {
            side,
            name: name.to_owned(),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        };
        let expected = [
            listed(Side::Server, "ping", &["2025-06-18", "2025-11-25"]),
            listed(Side::Server, "tasks-lifecycle", &["extension"]),
            listed(Side::Client, "auth/basic-cimd", &["2025-11-25", "2026-07-28"]),
        ];
        assert_eq!(parse_list(LIST).unwrap(), expected);
    }

    #[test]
    fn a_list_that_is_not_one_is_refused() {
        assert_eq!(
            parse_list("error: unknown command"),
            Err("the suite lists no server scenarios".to_owned())
        );
        let servers = LIST.split("\n\n").next().unwrap();
        assert_eq!(parse_list(servers), Err("the suite lists no client scenarios".to_owned()));
    }
}
