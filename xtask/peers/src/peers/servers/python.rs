//! The reference servers that run on Python, on each version of its SDK, and one made with FastMCP.

use super::{Eras, Probe, ServerPeer, Stability, Transport};
use crate::install::Package;

const TIME: ServerPeer = ServerPeer {
    eras: Eras::Both,
    args: &["--local-timezone", "Etc/UTC"],
    tools: 2,
    probes: &[
        Probe {
            sentence: "what is three o'clock in Tokyo in another timezone",
            tool: "convert_time",
            arguments: r#"{"source_timezone":"Asia/Tokyo","time":"15:00","target_timezone":"Asia/Kolkata"}"#,
            steady: Stability::WithinADay,
        },
        Probe {
            sentence: "get the current time",
            tool: "get_current_time",
            // A zone that does not exist: the refusal has no time in it.
            arguments: r#"{"timezone":"Nowhere/Never"}"#,
            steady: Stability::Always,
        },
    ],
    ..ServerPeer::stdio("time", Package::Time, "mcp-server-time")
};

const GIT: ServerPeer = ServerPeer {
    eras: Eras::Both,
    args: &["--repository", "{repo}"],
    // Confined by a kernel that runs as root, it is not the owner of the repository.
    env: &[("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", "safe.directory"), ("GIT_CONFIG_VALUE_0", "*")],
    permissions: &["shell.execute"],
    confinement: r#"read = ["{repo}"]"#,
    tools: 12,
    probes: &[
        Probe {
            sentence: "show the history of commits",
            tool: "git_log",
            arguments: r#"{"repo_path":"{repo}","max_count":5}"#,
            steady: Stability::Always,
        },
        Probe {
            sentence: "status of the working tree",
            tool: "git_status",
            arguments: r#"{"repo_path":"{repo}"}"#,
            steady: Stability::Always,
        },
    ],
    ..ServerPeer::stdio("git", Package::Git, "mcp-server-git")
};

const FETCH: ServerPeer = ServerPeer {
    eras: Eras::Both,
    confinement: r#"hosts = ["127.0.0.1"]"#,
    tools: 1,
    prompts: 1,
    probes: &[Probe {
        sentence: "get a page from the internet as markdown",
        tool: "fetch",
        // Nothing listens there, and the tool reports that.
        arguments: r#"{"url":"http://127.0.0.1:9/swans"}"#,
        steady: Stability::Always,
    }],
    ..ServerPeer::stdio("fetch", Package::Fetch, "mcp-server-fetch")
};

const FAST_MCP: ServerPeer = ServerPeer {
    eras: Eras::Both,
    args: &["{scripts}/server.py"],
    tools: 1,
    resources: (1, 0),
    prompts: 1,
    probes: &[Probe {
        sentence: "what is the sum of two numbers",
        tool: "add",
        arguments: r#"{"a":7,"b":35}"#,
        steady: Stability::Always,
    }],
    ..ServerPeer::stdio("fastmcp", Package::FastMcp, "python")
};

pub(super) const SERVERS: &[ServerPeer] = &[
    TIME,
    GIT,
    FETCH,
    FAST_MCP,
    ServerPeer { id: "fastmcp-http", transport: Transport::Http, ..FAST_MCP },
    ServerPeer { id: "time-sdk1", package: Package::TimeOnSdk1, eras: Eras::Initialize, ..TIME },
    ServerPeer { id: "git-sdk1", package: Package::GitOnSdk1, eras: Eras::Initialize, ..GIT },
    ServerPeer { id: "fetch-sdk1", package: Package::FetchOnSdk1, eras: Eras::Initialize, ..FETCH },
    ServerPeer {
        args: &["--db-path", "{data}/swans-{instance}.db"],
        confinement: r#"write = ["{data}"]"#,
        tools: 6,
        resources: (1, 0),
        prompts: 1,
        probes: &[
            Probe {
                sentence: "create a new table in the database",
                tool: "create_table",
                arguments: r#"{"query":"CREATE TABLE swans (name TEXT)"}"#,
                steady: Stability::Always,
            },
            Probe {
                sentence: "which tables are there",
                tool: "list_tables",
                arguments: "{}",
                steady: Stability::Always,
            },
        ],
        ..ServerPeer::stdio("sqlite", Package::Sqlite, "mcp-server-sqlite")
    },
];
