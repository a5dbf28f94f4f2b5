//! The benches by name. A new bench is a folder and a line here.

use crate::{call, console, context, gateway, http, lazy, measure::Settings, replicas, report::Row, search};
use std::fmt::Write as _;

/// One bench.
#[derive(Debug)]
pub(crate) struct Bench {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) run: fn(&Settings) -> Result<Vec<Row>, String>,
}

const BENCHES: &[Bench] = &[
    Bench { name: "call", about: "a tool call over bytes in memory, versus rmcp", run: call::run },
    Bench { name: "http", about: "a tool call over Streamable HTTP, versus rmcp", run: http::run },
    Bench {
        name: "gateway",
        about: "a tool call through `mgp serve`, versus mcp-proxy and no gateway",
        run: gateway::run,
    },
    Bench {
        name: "replicas",
        about: "a tool call through gateways that share PostgreSQL, versus one with SQLite",
        run: replicas::run,
    },
    Bench {
        name: "search",
        about: "finding tools among 1,000, 10,000 and 100,000, versus bm25s",
        run: search::run,
    },
    Bench {
        name: "context",
        about: "the tokens that tools take of a context, versus plain MCP",
        run: context::run,
    },
    Bench {
        name: "console",
        about: "the pages of the console with 100 servers and a million events, versus 100 ms",
        run: console::run,
    },
    Bench { name: "lazy", about: "the start of `mgp serve` with 100 lazy servers, versus 1", run: lazy::run },
];

/// Returns the bench with a name.
pub(crate) fn find(name: &str) -> Option<&'static Bench> {
    BENCHES.iter().find(|bench| bench.name == name)
}

/// Lists the benches, one on each line: its name and its subject.
pub(crate) fn list() -> String {
    let mut text = String::new();
    for bench in BENCHES {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:<8} {}", bench.name, bench.about);
    }
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_bench_is_found_by_its_name() {
        assert_eq!(BENCHES.len(), list().lines().count());
        for line in list().lines() {
            let name = line.split(' ').next().unwrap();
            assert_eq!(find(name).unwrap().name, name);
        }
    }
}
