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

/// The cell of a reason that does not fit into its row.
const BELOW: &str = "see below";

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

/// Returns a table whose last column holds reasons. At a terminal, a reason that does not fit into its row stands whole below the table, because
/// its cause may be in any part of it. The first `names` cells of the row name it there.
pub(crate) fn table_of_reasons<const N: usize>(
    header: [&str; N],
    names: usize,
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    reasons_on_screen(header, names, rows.into_iter().collect(), &Screen::of_stdout())
}

fn reasons_on_screen<const N: usize>(
    header: [&str; N],
    names: usize,
    mut rows: Vec<[String; N]>,
    screen: &Screen,
) -> String {
    let room = room_in_last(&header, &rows, screen);
    let mut below = Vec::new();
    for row in &mut rows {
        let reason = on_one_line(&row[N - 1]);
        if room.is_some_and(|room| reason.chars().count() > room) {
            let name: Vec<_> = row[..names].iter().map(|name| on_one_line(name)).collect();
            below.push(format!("\n{}: {reason}", name.join(" ")));
            BELOW.clone_into(&mut row[N - 1]);
        }
    }
    on_screen(header, rows, screen) + &below.concat()
}

/// Returns a table with one line a row: at a terminal, the last column is cut at its width.
pub(crate) fn cut_table<const N: usize>(
    header: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    cut_on_screen(header, rows.into_iter().collect(), &Screen::of_stdout())
}

fn cut_on_screen<const N: usize>(header: [&str; N], mut rows: Vec<[String; N]>, screen: &Screen) -> String {
    if let Some(room) = room_in_last(&header, &rows, screen) {
        for row in &mut rows {
            if row[N - 1].chars().count() > room {
                row[N - 1] = shortened(&row[N - 1], room.saturating_sub(1));
            }
        }
    }
    // Folding would give a row several lines.
    on_screen(
        header,
        rows,
        &Screen { width: None, is_coloured: screen.is_coloured, zone: screen.zone.clone() },
    )
}

/// Returns the number of characters that the last column of a table may have, so that each row fits into one line of a terminal. `None` for
/// a file or a pipe.
fn room_in_last<const N: usize>(header: &[&str; N], rows: &[[String; N]], screen: &Screen) -> Option<usize> {
    let width = usize::from(screen.width.filter(|width| *width >= MIN_WIDTH)?);
    let widest = |at: usize| {
        let cells = rows.iter().map(|row| in_cell(&row[at], screen).chars().count());
        cells.chain([header[at].len()]).max().unwrap_or_default()
    };
    let before: usize = (0..N - 1).map(|at| widest(at) + usize::from(GAP)).sum();
    Some(width.saturating_sub(before).max(BELOW.len()))
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

    fn terminal(width: u16) -> Screen {
        Screen { width: Some(width), ..Screen::default() }
    }

    #[test]
    fn a_long_reason_is_whole_and_leaves_its_row_one_line() {
        let cause = "FILES_TOKEN is not set";
        let long = format!("the process ended: {}; {cause}; see its log", "0".repeat(200));
        let rows = || vec![["files", "error", &long], ["notes", "error", "it is gone"]].into_iter();
        let rows = || rows().map(|row| row.map(str::to_owned)).collect();
        let shown = reasons_on_screen(HEADER, 1, rows(), &terminal(60));
        let expected = format!(
            "SERVER  STATE  REASON\nfiles   error  see below\nnotes   error  it is gone\nfiles: {long}"
        );
        assert_eq!(shown, expected);
        // Programs get it in its row.
        let plain = reasons_on_screen(HEADER, 1, rows(), &Screen::default());
        assert!(plain.contains(cause) && plain.lines().count() == 3, "{plain}");
    }

    #[test]
    fn a_row_of_a_cut_table_is_one_line_of_the_terminal() {
        let [row, _] = rows();
        let shown = cut_on_screen(HEADER, vec![row.clone(); 20], &terminal(50));
        assert_eq!(shown.lines().count(), 21, "{shown}");
        assert!(shown.lines().all(|line| line.chars().count() <= 50), "{shown}");
        assert!(shown.contains("files   error  the process ended and wrote to its"), "{shown}");
        assert!(cut_on_screen(HEADER, vec![row], &Screen::default()).ends_with("that a token is not set"));
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
