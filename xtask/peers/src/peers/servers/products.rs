//! Servers of products. Without a browser, a database or an account they only list their tools.

use super::{Eras, ServerPeer};
use crate::install::Package;

pub(super) const SERVERS: &[ServerPeer] = &[
    ServerPeer {
        args: &["--headless"],
        tools: 25,
        ..ServerPeer::stdio("playwright", Package::Playwright, "cli.js")
    },
    ServerPeer { tools: 24, ..ServerPeer::stdio("notion", Package::Notion, "bin/cli.mjs") },
    ServerPeer {
        args: &["--headless", "--no-usage-statistics"],
        env: &[("CI", "true")],
        tools: 32,
        ..ServerPeer::stdio(
            "chrome-devtools",
            Package::ChromeDevtools,
            "build/src/bin/chrome-devtools-mcp.js",
        )
    },
    ServerPeer {
        env: &[
            ("MDB_MCP_TELEMETRY", "disabled"),
            // Its tools for local deployments are offered only where Docker runs.
            ("MDB_MCP_DISABLED_TOOLS", "atlas-local"),
            ("MDB_MCP_LOG_PATH", "{data}"),
            ("MDB_MCP_EXPORTS_PATH", "{data}"),
        ],
        confinement: r#"write = ["{data}"]"#,
        eras: Eras::Both,
        tools: 27,
        resources: (2, 1),
        ..ServerPeer::stdio("mongodb", Package::Mongodb, "dist/esm/index.js")
    },
    ServerPeer {
        eras: Eras::Both,
        tools: 2,
        ..ServerPeer::stdio("context7", Package::Context7, "dist/index.js")
    },
];
