//! Names and ids that may be abbreviated: a beginning is enough if it is unambiguous.

use crate::{error::CliError, exit::Exit, setup::Setup};
use std::io::{self, IsTerminal};

/// The number of characters of a short id, without its prefix. In a UUID of version 7, they hold the whole time in
/// milliseconds.
const SHORT: usize = 13;

/// The minimum number of characters of an abbreviated id, without its prefix. Ids of questions asked within five hours begin alike.
const LEAST: usize = 6;

/// The maximum number of names that an error about an ambiguous beginning lists.
const LISTED: usize = 8;

/// The prefixes of ids.
const KINDS: [&str; 4] = ["conf-", "perm-", "reg-", "ref-"];

/// Returns the name that equals a text, or the only name that begins with it.
///
/// # Errors
/// A sentence, if no name or more than one matches.
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
        [] => Err(format!("there is no {what} {given:?}, and none that begins with it")),
        [name] => Ok(name),
        _ => {
            let listed = meant[..meant.len().min(LISTED)].join(", ");
            let more = match meant.len().saturating_sub(LISTED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            Err(format!("several {what}s begin with {given:?}: {listed}{more}; expected more of it"))
        }
    }
}

/// Returns the id of the server with this id, or with an unambiguous beginning of it. A text without a match is returned unchanged, for a
/// caller that knows more servers.
pub(crate) async fn known_server(setup: &Setup, given: &str) -> String {
    let ids = servers(setup).await;
    known_name("server", given, ids.iter().map(String::as_str)).unwrap_or(given).to_owned()
}

/// Returns the ids of all servers, of the configuration and registered.
pub(crate) async fn servers(setup: &Setup) -> Vec<String> {
    let configured = setup.servers().unwrap_or_default().into_iter().map(|(id, _)| id);
    configured.chain(setup.registered().await.unwrap_or_default()).collect()
}

/// Returns the id that equals a text, or the only id that begins with it. A text without a match is returned unchanged: it may be the id of a
/// future server, or a pattern.
///
/// # Errors
/// If several ids begin with the text.
pub(crate) fn server_or_text(given: &str, ids: &[String]) -> Result<String, CliError> {
    if given.is_empty() || !ids.iter().any(|id| id.starts_with(given)) {
        return Ok(given.to_owned());
    }
    known_name("server", given, ids.iter().map(String::as_str))
        .map(str::to_owned)
        .map_err(|error| CliError::new(Exit::NotFound, error).help("see the servers with `mgp servers`"))
}

/// Returns the id that equals a text, or the only id that begins with it, if the text is long enough.
///
/// # Errors
/// A sentence, if no id or more than one matches, or if the beginning is too short.
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

/// Returns whether a text is an id, or a beginning of it that is long enough.
pub(crate) fn is_beginning(given: &str, id: &str) -> bool {
    id == given || (id.starts_with(given) && own_part(given).len() >= LEAST)
}

/// Returns the beginning of an id, for people to read and type. A short id is returned whole.
pub(crate) fn short_id(id: &str) -> &str {
    let length = kind(id).len() + SHORT;
    id.get(..length).unwrap_or(id)
}

/// Returns an id for a table: shortened at a terminal, and whole in a file or a pipe.
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
    fn the_unique_beginning_of_an_id_is_enough() {
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
        let one = known_id("question", "conf-0199f", [IDS[0]]).unwrap_err();
        assert!(one.contains("too short to mean conf-0199f0a1"), "{one}");
        assert_eq!(known_id("question", "conf-0199f0", [IDS[0]]), Ok(IDS[0]));
    }

    #[test]
    fn an_ambiguous_beginning_lists_the_candidates() {
        let error = known_id("question", "conf-0199f0", IDS).unwrap_err();
        assert!(IDS.iter().all(|id| error.contains(id)) && error.contains("expected more"), "{error}");
        let many: Vec<_> = (0..LISTED + 3).map(|i| format!("server-{i:02}")).collect();
        let error = known_name("server", "s", many.iter().map(String::as_str)).unwrap_err();
        assert!(error.contains("server-07 and 3 more;") && !error.contains("server-08"), "{error}");
    }

    #[test]
    fn an_exact_name_precedes_a_beginning() {
        assert_eq!(known_name("server", "files", ["files2", "files"]), Ok("files"));
        assert_eq!(known_name("server", "no", ["notes", "notes", "files"]), Ok("notes"));
    }

    #[test]
    fn a_text_that_no_server_begins_with_is_used_unchanged() {
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
