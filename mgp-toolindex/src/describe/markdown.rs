//! Markdown in which a server's text cannot be mistaken for a part of the document.

/// A Markdown document that is being written.
#[derive(Debug, Default)]
pub(super) struct Markdown(String);

impl Markdown {
    pub(super) fn heading(&mut self, level: usize, text: &str) {
        self.block(&format!("{} {}", "#".repeat(level), one_line(text)));
    }

    /// Adds a paragraph. A server's line breaks are kept, but cannot begin a heading, list, table or code.
    pub(super) fn text(&mut self, text: &str) {
        let lines: Vec<String> = text.trim().lines().map(line).collect();
        self.block(&lines.join("\n"));
    }

    /// Adds a list.
    pub(super) fn list(&mut self, items: impl IntoIterator<Item = String>) {
        let items: Vec<String> = items.into_iter().map(|item| format!("- {}", one_line(&item))).collect();
        self.block(&items.join("\n"));
    }

    /// Adds a table; nothing if there are no rows.
    pub(super) fn table<const N: usize>(&mut self, head: [&str; N], rows: &[[String; N]]) {
        if rows.is_empty() {
            return;
        }
        let row = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
        let mut lines = vec![row(head.map(str::to_owned).to_vec()), row(vec!["---".to_owned(); N])];
        lines.extend(rows.iter().map(|cells| row(cells.iter().map(|cell| one_line(cell)).collect())));
        self.block(&lines.join("\n"));
    }

    /// Adds a block of code, between fences that do not occur in it.
    pub(super) fn code(&mut self, language: &str, code: &str) {
        let mut longest = 0;
        let mut here = 0;
        for c in code.chars() {
            here = if c == '`' { here + 1 } else { 0 };
            longest = longest.max(here);
        }
        let fence = "`".repeat(longest.max(2) + 1);
        self.block(&format!("{fence}{language}\n{code}\n{fence}"));
    }

    /// Adds a line that the document's author wrote.
    pub(super) fn block(&mut self, text: &str) {
        if !self.0.is_empty() {
            self.0.push('\n');
        }
        self.0.push_str(text);
        self.0.push('\n');
    }

    pub(super) fn finish(self) -> String {
        self.0
    }
}

/// Returns a name between marks of code.
pub(super) fn name(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c == '`' || c.is_control() { '\'' } else { c }).collect();
    format!("`{plain}`")
}

/// Returns a text on one line, in which no character begins or ends a cell or an element.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace('|', "\\|").replace('<', "&lt;")
}

/// Returns a line of a server's text whose first character begins no Markdown element.
fn line(text: &str) -> String {
    let text = text.trim().replace('<', "&lt;");
    let begins = text.starts_with(['#', '|', '>', '`', '~', '-', '=', '+', '*']);
    let numbered = text.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(['.', ')'])
        && text.starts_with(|c: char| c.is_ascii_digit());
    match (begins, numbered) {
        (true, _) => format!("\\{text}"),
        (_, true) => text.replacen(['.', ')'], "\\.", 1),
        _ => text,
    }
}
