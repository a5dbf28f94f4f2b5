//! Tables: plain for files, pipes and `awk`; at a terminal folded at its width, with colours and local times.

use comfy_table::{ColumnConstraint, ContentArrangement, Table, TableStyle};
use jiff::{Timestamp, tz::TimeZone};
use mgp_types::printable::{on_one_line, printable};
use std::{
    borrow::Cow,
    env,
    io::{self, IsTerminal},
};

/// The minimum width of a table, in terminal columns.
const MIN_WIDTH: u16 = 40;

/// The minimum total width of the folded columns.
const MIN_FOLDED: u16 = 24;

/// The number of spaces between two columns.
const GAP: u16 = 2;

/// The maximum length of a reason at a terminal without `-v`, in characters, and the length of its end, which is often the most
/// useful part.
const MAX_REASON: usize = 90;
const END_OF_REASON: usize = 35;

/// The terminal on which a table is shown. For a file or a pipe, nothing is set.
#[derive(Debug, Default)]
struct Screen {
    width: Option<u16>,
    is_coloured: bool,
    zone: Option<TimeZone>,
}

impl Screen {
    fn of_stdout() -> Self {
        if !io::stdout().is_terminal() {
            return Self::default();
        }
        let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self {
            width: terminal_size::terminal_size().map(|(width, _)| width.0),
            is_coloured: !is_set("NO_COLOR") && !is_dumb,
            zone: Some(TimeZone::system()),
        }
    }
}

/// Returns a table without lines.
pub(crate) fn table<const N: usize>(
    header: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    on_screen(header, rows, &Screen::of_stdout())
}

fn on_screen<const N: usize>(
    header: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
    screen: &Screen,
) -> String {
    let mut table = Table::new();
    table.load_style(TableStyle::new()).set_header(header.map(str::to_uppercase));
    for row in rows {
        table.add_row(row.map(|cell| in_cell(&cell, screen)));
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, GAP));
    }
    if let Some(width) = screen.width.filter(|width| *width >= MIN_WIDTH) {
        fold(&mut table, width);
    }
    let lines = table.lines().enumerate().map(|(at, line)| match line.trim_end() {
        line if !screen.is_coloured => line.to_owned(),
        line if at == 0 => format!("\u{1b}[1m{line}\u{1b}[0m"),
        line => coloured(line),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Folds the wide columns of a table, so that its lines fit a width. Narrow columns, such as ids and numbers, are not folded.
fn fold(table: &mut Table, width: u16) {
    // The last column has no gap after it.
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width.saturating_add(GAP));
    let widths = table.column_max_content_widths();
    let gaps = GAP.saturating_mul(u16::try_from(widths.len()).unwrap_or(u16::MAX));
    let mut room = width.saturating_sub(gaps);
    if widths.iter().map(|width| u32::from(*width)).sum::<u32>() <= u32::from(room) {
        return;
    }
    let mut narrowest: Vec<usize> = (0..widths.len()).collect();
    narrowest.sort_by_key(|at| widths[*at]);
    for at in narrowest {
        if room < widths[at].saturating_add(MIN_FOLDED) {
            return;
        }
        room -= widths[at];
        if let Some(column) = table.column_mut(at) {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
}

/// Returns the text of a cell: printable on one line, with its leading spaces.
fn in_cell(text: &str, screen: &Screen) -> String {
    let local = screen.zone.as_ref().and_then(|zone| local(text, zone));
    local.unwrap_or_else(|| printable(text).replace(['\n', '\t'], " "))
}

/// Returns a line of a table with the colours of its cells.
fn coloured(line: &str) -> String {
    let mut painted = String::with_capacity(line.len());
    let mut rest = line;
    while !rest.is_empty() {
        let (cell, behind) = rest.split_at(rest.find("  ").unwrap_or(rest.len()));
        match colour(cell) {
            Some(colour) => painted.push_str(&format!("\u{1b}[{colour}m{cell}\u{1b}[0m")),
            None => painted.push_str(cell),
        }
        rest = behind.trim_start_matches(' ');
        painted.push_str(&behind[..behind.len() - rest.len()]);
    }
    painted
}

/// Returns the number of the colour of a cell: green for good states, red for bad ones, and yellow for those that need attention.
fn colour(cell: &str) -> Option<u8> {
    match cell {
        "SUCCESS" | "connected" | "healthy" | "approved" | "allow" | "passed" => Some(32),
        "FAILURE" | "error" | "unhealthy" | "silent" | "denied" | "deny" | "failed" => Some(31),
        "BLOCKED" | "restarting" | "draining" | "degraded" | "deferred" | "expired" | "dangerous" => Some(33),
        _ => None,
    }
}

/// Returns a time as shown: in the local time zone at a terminal, and unchanged in a file or a pipe.
pub(crate) fn local_time(text: &str) -> Cow<'_, str> {
    let zone = Screen::of_stdout().zone;
    zone.and_then(|zone| local(text, &zone)).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Returns a time in a time zone; `None` for a text that is not a time in UTC (RFC 3339).
fn local(text: &str, zone: &TimeZone) -> Option<String> {
    let is_time =
        text.len() >= "2026-11-27T00:00:00Z".len() && text.ends_with('Z') && text.get(10..11) == Some("T");
    let time: Timestamp = is_time.then(|| text.parse().ok()).flatten()?;
    Some(time.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string())
}

/// Returns a reason on one line: its beginning and its end at a terminal, and whole for programs and with `-v`.
pub(crate) fn reason(text: &str, is_verbose: bool) -> String {
    shown_reason(text, is_verbose, io::stdout().is_terminal())
}

fn shown_reason(text: &str, is_verbose: bool, is_terminal: bool) -> String {
    let line = on_one_line(text);
    if is_verbose || !is_terminal { line } else { abridged(&line) }
}

fn abridged(line: &str) -> String {
    let length = line.chars().count();
    if length <= MAX_REASON {
        return line.to_owned();
    }
    let begin: String = line.chars().take(MAX_REASON - END_OF_REASON).collect();
    let end: String = line.chars().skip(length - END_OF_REASON).collect();
    format!("{} … {}", begin.trim_end(), end.trim_start())
}

/// Returns the start of a text on one line, for a cell of a table.
pub(crate) fn shortened(text: &str, limit: usize) -> String {
    let line = on_one_line(text);
    match line.char_indices().nth(limit) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn rows() -> [[String; 3]; 2] {
        let reason = "the process ended and wrote to its stderr that a token is not set";
        [["files", "error", reason], ["notes", "connected", "2026-11-27T08:00:00.000Z"]]
            .map(|row| row.map(str::to_owned))
    }

    const HEADER: [&str; 3] = ["server", "state", "reason"];

    #[test]
    fn a_table_has_no_lines_and_no_spaces_at_the_end() {
        let rows = [["a".to_owned(), "long one".to_owned()], ["bcd".to_owned(), String::new()]];
        expect![[r"
            NAME  TEXT
            a     long one
            bcd"]]
        .assert_eq(&on_screen(["name", "text"], rows, &Screen::default()));
        let plain = on_screen(HEADER, self::rows(), &Screen::default());
        assert!(plain.contains("2026-11-27T08:00:00.000Z") && plain.lines().count() == 3, "{plain}");
    }

    #[test]
    fn a_terminal_gets_lines_that_fit_and_times_of_its_zone() {
        let screen =
            Screen { width: Some(60), is_coloured: false, zone: Some(TimeZone::fixed(jiff::tz::offset(2))) };
        let folded = on_screen(HEADER, rows(), &screen);
        assert!(folded.lines().all(|line| line.chars().count() <= 60), "{folded}");
        assert!(folded.lines().count() > 3 && folded.contains("2026-11-27 10:00:00"), "{folded}");
        for word in ["SERVER  STATE", "files   error", "notes   connected"] {
            assert!(folded.contains(word), "{word}: {folded}");
        }
        // One that fits is not folded, and one that never would is left as it is.
        let wide = on_screen(HEADER, rows(), &Screen { width: Some(200), ..Screen::default() });
        let narrow = on_screen(HEADER, rows(), &Screen { width: Some(20), ..Screen::default() });
        let plain = on_screen(HEADER, rows(), &Screen::default());
        assert_eq!((&wide, &narrow), (&plain, &plain));
    }

    #[test]
    fn colours_change_no_letter_and_no_column() {
        let screen = Screen { is_coloured: true, ..Screen::default() };
        let painted = on_screen(HEADER, rows(), &screen);
        assert!(
            painted.contains("\u{1b}[31merror\u{1b}[0m") && painted.contains("\u{1b}[32mconnected\u{1b}[0m")
        );
        let mut plain = painted;
        for sequence in ["\u{1b}[1m", "\u{1b}[31m", "\u{1b}[32m", "\u{1b}[0m"] {
            plain = plain.replace(sequence, "");
        }
        assert_eq!(plain, on_screen(HEADER, rows(), &Screen::default()));
        assert_eq!(coloured("an error is here  error"), "an error is here  \u{1b}[31merror\u{1b}[0m");
    }

    #[test]
    fn no_cell_begins_a_line_or_controls_a_terminal() {
        let cell = on_screen(["x"], [["a\nb\u{1b}[2J\u{202e}".to_owned()]], &Screen::default());
        assert!(cell.ends_with(r"a b\u{1b}[2J\u{202e}"), "{cell}");
    }

    #[test]
    fn a_long_reason_keeps_its_beginning_and_its_end() {
        let long = format!("the process ended: {}FILES_TOKEN is not set", "0".repeat(400));
        let short = abridged(&long);
        assert!(
            short.starts_with("the process ended: 0") && short.ends_with("FILES_TOKEN is not set"),
            "{short}"
        );
        assert!(short.chars().count() <= MAX_REASON + 3, "{short}");
        assert_eq!(abridged("short"), "short");
    }

    #[test]
    fn a_reason_is_whole_for_programs_and_with_v() {
        let long = "the process ended ".repeat(20).trim_end().to_owned();
        for (is_verbose, is_terminal, shown) in [
            (true, true, &long),
            (true, false, &long),
            (false, false, &long),
            (false, true, &abridged(&long)),
        ] {
            assert_eq!(&shown_reason(&long, is_verbose, is_terminal), shown, "{is_verbose} {is_terminal}");
        }
    }

    #[test]
    fn a_long_text_is_cut_at_a_character() {
        assert_eq!(shortened("äöü  x", 3), "äöü…");
        assert_eq!(shortened("äöü", 3), "äöü");
    }

    #[test]
    fn the_start_of_a_text_is_one_line() {
        assert_eq!(shortened("looks\nnote: forged\u{1b}", 90), r"looks note: forged\u{1b}");
    }
}
