//! The rows of the counted tokens.

use super::run::ContextSize;
use crate::report::{Better, Row};

/// Returns the rows of one set. The peer is plain MCP, which lists every tool.
pub(super) fn rows(set: &str, counted: &ContextSize) -> Vec<Row> {
    let ContextSize { tools, plain, hybrid, discovery, found } = *counted;
    let row = |what: &str, unit, ours, peer| {
        Row::new(format!("{tools} {set} tools, {what}"), unit, Better::Lower, ours, peer)
    };
    let (plain, hybrid) = (plain as f64, hybrid as f64);
    let whole = hybrid + discovery;
    vec![
        row("list", "tokens", hybrid, plain),
        row(&format!("one search, {found:.1} tools"), "tokens", discovery, 0.0),
        row("list and one search", "tokens", whole, plain),
        Row::new(
            format!("{tools} {set} tools, less than plain MCP"),
            "%",
            Better::Higher,
            100.0 * (1.0 - whole / plain),
            0.0,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn savings_include_the_cost_of_the_search() {
        let counted = ContextSize { tools: 10, plain: 10_000, hybrid: 400, discovery: 200.0, found: 5.0 };
        let rows = rows("real", &counted);
        assert_eq!((rows[2].ours, rows[2].peer, rows[3].ours), (600.0, 10_000.0, 94.0));
        assert_eq!(rows[1].case, "10 real tools, one search, 5.0 tools");
    }
}
