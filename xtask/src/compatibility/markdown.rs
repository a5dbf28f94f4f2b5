//! The tables and links of a page.

/// A row of a table, without the table's head and the line below it.
#[derive(Debug)]
pub(super) struct TableRow<'a> {
    /// The row's line, from 1.
    pub(super) line: usize,
    pub(super) cells: Vec<&'a str>,
}

/// Returns the rows of every table.
pub(super) fn rows(text: &str) -> Vec<TableRow<'_>> {
    let mut rows: Vec<TableRow<'_>> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some(inner) = line.strip_prefix('|').and_then(|line| line.strip_suffix('|')) else { continue };
        let cells: Vec<_> = inner.split('|').map(str::trim).collect();
        if cells.iter().all(|cell| cell.len() >= 3 && cell.bytes().all(|byte| byte == b'-')) {
            // The row above is the head.
            rows.pop();
        } else {
            rows.push(TableRow { line: index + 1, cells });
        }
    }
    rows
}

/// Returns a cell's first word.
pub(super) fn first_word(cell: &str) -> &str {
    cell.split([' ', ',', ':', ';']).next().unwrap_or_default()
}

/// Returns the texts between two marks.
pub(super) fn between(text: &str, open: char, close: char) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(open) {
        let Some((inner, left)) = after.split_once(close) else { break };
        found.push(inner);
        rest = left;
    }
    found
}

/// Returns the names of the links that a page defines, each with its target, in order.
pub(super) fn definitions(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| line.strip_prefix('[')?.split_once("]: "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_those_below_the_head_of_each_table() {
        let page = "| a | b |\n|---|---|\n| 1 | `x` |\n\ntext | with | bars\n\n| c |\n|---|\n| 2 |\n| 3 |\n";
        let rows: Vec<_> = rows(page).into_iter().map(|row| (row.line, row.cells)).collect();
        assert_eq!(rows, [(3, vec!["1", "`x`"]), (9, vec!["2"]), (10, vec!["3"])]);
    }

    #[test]
    fn words_marks_and_targets_are_read() {
        assert_eq!((first_word("yes, but"), first_word("no: why"), first_word("")), ("yes", "no", ""));
        assert_eq!(between("`a` and `b` and `", '`', '`'), ["a", "b"]);
        assert_eq!(
            definitions("[a b]: ../c.rs#d\ntext [e]: f\n").collect::<Vec<_>>(),
            [("a b", "../c.rs#d")]
        );
    }
}
