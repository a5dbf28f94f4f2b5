//! Names and ids that a person gives in part: the beginning of one is enough if no other begins so.

use crate::{error::CliError, exit::Exit, setup::Setup};
use std::io::{self, IsTerminal};

/// The characters of a short id, without those of its kind: in a UUID of version 7, the whole time in milliseconds.
const SHORT: usize = 13;

/// The least characters of an id that mean it, without those of its kind. Ids of questions that are asked within a minute begin alike.
const LEAST: usize = 8;

/// The kinds of ids, each as it begins.
const KINDS: [&str; 4] = ["conf-", "perm-", "reg-", "ref-"];

/// Returns the one of some names that is given whole, or by a beginning that no other has.
///
/// # Errors
/// A sentence, if there is none, or if several begin so.
pub(crate) fn known_name<'a>(
    what: &str,
    given: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> Result<&'a str, String> {
    let mut meant: Vec<&str> = Vec::new();
    for name in names {
        if name == given {
            return Ok(name);
        }
        if !given.is_empty() && name.starts_with(given) && !meant.contains(&name) {
            meant.push(name);
        }
    }
    match meant[..] {
        [] => Err(format!("there is no {what} {given:?}, and none that begins so")),
        [name] => Ok(name),
        [one, other, ..] => Err(format!(
            "several {what}s begin with {given:?}, such as {one} and {other}: expected more of it"
        )),
    }
}

/// Returns the id of the server that is meant by its id, or by a beginning that no other has. A text that means none is returned as it is, for
/// who knows more servers.
pub(crate) async fn known_server(setup: &Setup, given: &str) -> String {
    let configured = setup.servers().unwrap_or_default().into_iter().map(|(id, _)| id);
    let mut ids: Vec<String> = configured.collect();
    ids.extend(setup.registered().await.unwrap_or_default());
    known_name("server", given, ids.iter().map(String::as_str)).unwrap_or(given).to_owned()
}

/// Returns the id of the server that is meant by its id, or by a beginning that no other has. A text that no id begins with is returned as it
/// is: it may be the id of a server that comes later, or a pattern.
///
/// # Errors
/// If several ids begin so.
pub(crate) fn server_or_text(given: &str, ids: &[String]) -> Result<String, CliError> {
    if given.is_empty() || !ids.iter().any(|id| id.starts_with(given)) {
        return Ok(given.to_owned());
    }
    known_name("server", given, ids.iter().map(String::as_str))
        .map(str::to_owned)
        .map_err(|error| CliError::new(Exit::NotFound, error).help("see the servers with `mgp servers`"))
}

/// Returns the one of some ids that is given whole, or by a beginning that is long enough and that no other has.
///
/// # Errors
/// A sentence, if there is none, if several begin so, or if the beginning is too short to mean one.
pub(crate) fn known_id<'a>(
    what: &str,
    given: &str,
    ids: impl IntoIterator<Item = &'a str>,
) -> Result<&'a str, String> {
    let found = known_name(what, given, ids)?;
    if found != given && own_part(given).len() < LEAST {
        return Err(format!(
            "{given:?} is too short to mean {found}: expected at least {LEAST} characters of the {what}, without {}",
            kind(found)
        ));
    }
    Ok(found)
}

/// Returns the beginning of an id that people read and give; a short one is whole.
pub(crate) fn short_id(id: &str) -> &str {
    let length = kind(id).len() + SHORT;
    id.get(..length).unwrap_or(id)
}

/// Returns an id as a table shows it: short at a terminal, and whole for programs.
pub(crate) fn id_in_table(id: &str) -> &str {
    shown_id(id, io::stdout().is_terminal())
}

fn shown_id(id: &str, is_terminal: bool) -> &str {
    if is_terminal { short_id(id) } else { id }
}

fn kind(id: &str) -> &'static str {
    KINDS.into_iter().find(|kind| id.starts_with(kind)).unwrap_or_default()
}

fn own_part(id: &str) -> &str {
    &id[kind(id).len()..]
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDS: [&str; 3] = [
        "conf-0199f0a1-b2c3-7aaa-8000-000000000001",
        "conf-0199f0a1-b2c4-7aaa-8000-000000000002",
        "conf-0199f0a9-0000-7aaa-8000-000000000003",
    ];

    #[test]
    fn the_beginning_of_an_id_means_it_where_no_other_begins_so() {
        for (given, found) in [
            (IDS[0], Ok(IDS[0])),
            ("conf-0199f0a9", Ok(IDS[2])),
            (short_id(IDS[1]), Ok(IDS[1])),
            ("conf-0199f0a1", Err("several questions begin with")),
            ("conf-1", Err("there is no question \"conf-1\"")),
            ("conf-", Err("several")),
            ("", Err("there is no")),
        ] {
            let known = known_id("question", given, IDS);
            match (known, found) {
                (Ok(known), Ok(found)) => assert_eq!(known, found, "{given}"),
                (Err(error), Err(found)) => assert!(error.contains(found), "{given}: {error}"),
                (known, _) => panic!("{given}: {known:?}"),
            }
        }
        let one = known_id("question", "conf-0199", [IDS[0]]).unwrap_err();
        assert!(one.contains("too short to mean conf-0199f0a1"), "{one}");
    }

    #[test]
    fn a_name_is_taken_before_what_begins_with_it() {
        assert_eq!(known_name("server", "files", ["files2", "files"]), Ok("files"));
        assert_eq!(known_name("server", "no", ["notes", "notes", "files"]), Ok("notes"));
    }

    #[test]
    fn a_text_that_no_server_begins_with_is_taken_as_it_is() {
        let ids = ["notes", "notebook", "files"].map(str::to_owned);
        for (given, meant) in
            [("fi", "files"), ("notes", "notes"), ("later", "later"), ("no*", "no*"), ("", "")]
        {
            assert_eq!(server_or_text(given, &ids).unwrap(), meant, "{given}");
        }
        let unclear = server_or_text("not", &ids).unwrap_err();
        assert!(unclear.message().starts_with("several servers begin with \"not\""), "{unclear:?}");
    }

    #[test]
    fn a_short_id_is_the_time_of_a_question() {
        assert_eq!(short_id(IDS[0]), "conf-0199f0a1-b2c3");
        assert_eq!(short_id("0199f0a1-b2c3-7aaa-8000-000000000001"), "0199f0a1-b2c3");
        assert_eq!(short_id("mine"), "mine");
    }

    #[test]
    fn an_id_is_short_at_a_terminal_and_whole_for_programs() {
        assert_eq!(shown_id(IDS[0], true), "conf-0199f0a1-b2c3");
        assert_eq!(shown_id(IDS[0], false), IDS[0]);
    }
}
