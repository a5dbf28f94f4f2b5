//! The rows of odd peers.

use super::{play, table};
use crate::rows::{Row, row};
use std::time::Duration;

/// The time limit of a row. A row takes less than a second on an idle machine.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Returns a row for each entry of the table, or one that fails if the table cannot be read.
pub(in crate::groups) fn rows() -> Vec<Row> {
    match table::read() {
        Ok(odd) => odd.into_iter().map(played).collect(),
        Err(why) => vec![row("odd/table", &[], move |_| std::future::ready(Err(why.clone())))],
    }
}

fn played(odd: table::OddRow) -> Row {
    let name = format!("odd/{}", odd.name);
    let mut row = row(name, &[], move |context| play::play(odd.clone(), context)).programs(&["python3"]);
    row.timeout = TIMEOUT;
    row
}
