//! The requirements of a revision, from the suite's command `list --requirements`.

use super::list::{Side, entry};

/// The scenarios that a revision requires of each side, and those that are run with them without counting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Requirements {
    scored: Vec<(Side, String)>,
    reported: Vec<(Side, String)>,
}

impl Requirements {
    /// Returns the scenarios that count.
    pub(crate) fn scored(&self, side: Side) -> impl Iterator<Item = &str> {
        of_side(&self.scored, side)
    }

    /// Returns the scenarios that are run but do not count.
    pub(crate) fn reported(&self, side: Side) -> impl Iterator<Item = &str> {
        of_side(&self.reported, side)
    }
}

fn of_side(list: &[(Side, String)], side: Side) -> impl Iterator<Item = &str> {
    list.iter().filter(move |(other, _)| *other == side).map(|(_, name)| name.as_str())
}

/// Reads the list.
pub(crate) fn parse_requirements(text: &str) -> Result<Requirements, String> {
    let mut scored = Vec::new();
    let mut reported = Vec::new();
    let mut heading = None;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if !line.starts_with(' ') {
            heading = Side::of_heading(line);
        } else if let Some((name, word)) = entry(line) {
            match (heading, Side::of_word(word)) {
                (Some(side), _) => scored.push((side, name.to_owned())),
                (None, Some(side)) => reported.push((side, name.to_owned())),
                (None, None) => return Err(format!("the suite names no side for {name:?}")),
            }
        }
    }
    for side in [Side::Server, Side::Client] {
        if of_side(&scored, side).next().is_none() {
            return Err(format!("the suite requires nothing of a {}", side.as_str()));
        }
    }
    Ok(Requirements { scored, reported })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "\
Required for 2025-11-25 (3 scenarios, frozen; run at the 2025-11-25 wire):

Server scenarios (test against a server):
  - server-initialize
  - ping

Client scenarios (test against a client):
  - auth/basic-cimd

Run and reported, but never scored:
  extension (1):
    - auth/dpop [client]
  pending (1):
    - server-sse-polling [server]

";

    #[test]
    fn scored_and_unscored_scenarios_are_separated() {
        let requirements = parse_requirements(LIST).unwrap();
        assert!(requirements.scored(Side::Server).eq(["server-initialize", "ping"]));
        assert!(requirements.scored(Side::Client).eq(["auth/basic-cimd"]));
        assert!(requirements.reported(Side::Server).eq(["server-sse-polling"]));
        assert!(requirements.reported(Side::Client).eq(["auth/dpop"]));
    }

    #[test]
    fn a_list_that_is_not_one_is_refused() {
        let error = parse_requirements("No requirement set for 2024-11-05.").unwrap_err();
        assert_eq!(error, "the suite requires nothing of a server");
        let error = parse_requirements(&LIST.replace("[client]", "[both]")).unwrap_err();
        assert!(error.contains("auth/dpop"), "{error}");
    }
}
